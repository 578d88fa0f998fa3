// GET /health while a server decodes, beside a yardstick: a bare node:http server that answers the same bytes while a process
// spins on every core. A client in a process of its own asks all of them, in rounds in which they take turns.
//   node bench/health.mjs [ROUNDS [SECONDS]]     ours alone
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeConnections, visit } from './beside/client.mjs';
import { median, quantile } from './beside/figures.mjs';
import { startOurs } from './beside/servers.mjs';
import { prepare } from './files.mjs';

const STREAMS = 4;
const REST_MS = 300;
const BARE_SERVER = `
  const answer = JSON.stringify({ ok: true, apiVersion: 'v2' });
  const server = require('node:http').createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer);
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

/**
 * Prints a row for the yardstick, and for each server idle and under each load. A ratio is the median of the rounds of
 * p99 ÷ p99 of the yardstick in that round.
 * @param {import('./beside/servers.mjs').Server[]} servers
 * @param {{ name: string, path: string, planes: number }[]} loads each with four clients that open, read so many planes, delete
 * @param {{ rounds: number, seconds: number }} options
 * @param {(text?: string) => void} say
 */
export async function healthTable(servers, loads, { rounds, seconds }, say) {
  const bare = await startBareServer();
  const nothing = () => async () => {};
  const cases = [
    { name: 'yardstick: a bare server beside spinning processes', url: bare.url, start: spin },
    { name: 'a bare server, idle', url: bare.url, start: nothing },
    ...servers.flatMap(({ name, url }) => [
      { name: `${name}, idle`, url, start: nothing },
      ...loads.map((load) => ({ name: `${name}, ${load.name}`, url, start: () => openAgain(url, load) })),
    ]),
  ].map((entry) => ({ ...entry, times: [] }));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const { url, start, times } of cases) {
        const stop = start();
        times.push(await askHealth(url, seconds));
        await stop();
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
    }
  } finally {
    bare.stop();
  }
  say('| asked | p50 | p90 | p99 | max | p99 ÷ yardstick |');
  say('|---|--:|--:|--:|--:|--:|');
  const worst = (times) => times.map((values) => quantile(values, 0.99));
  const yardstick = worst(cases[0].times);
  for (const { name, times } of cases) {
    const cells = [0.5, 0.9, 0.99, 1].map((share) => quantile(times.flat(), share).toFixed(1));
    const share = median(worst(times).map((value, round) => value / yardstick[round]));
    say(`| ${[name, ...cells, share.toFixed(2)].join(' | ')} |`);
  }
  say();
}

/** @returns {Promise<number[]>} milliseconds of the answers in so many seconds */
async function askHealth(url, seconds) {
  const client = join(import.meta.dirname, 'health-client.mjs');
  const args = [client, `${url}/api/v2/health`, String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

async function startBareServer() {
  const server = spawn(process.execPath, ['-e', BARE_SERVER], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = await once(server.stdout, 'data');
  return { url: `http://127.0.0.1:${Number(port)}`, stop: () => server.kill('SIGKILL') };
}

/** Keeps every core busy until the function that it returns is called. */
function spin() {
  const busy = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return async () => {
    for (const child of busy) child.kill('SIGKILL');
  };
}

/** Lets clients open a file again and again until the function that it returns is called. */
function openAgain(base, { path, planes }) {
  let running = true;
  const streaming = Array.from({ length: STREAMS }, async () => {
    while (running) await visit(base, path, { planes });
  });
  return async () => {
    running = false;
    await Promise.all(streaming);
  };
}

if (process.argv[1] === import.meta.filename) {
  const [rounds = '5', seconds = '2'] = process.argv.slice(2);
  const data = join(import.meta.dirname, 'data');
  const [tiff, deflate] = prepare(data);
  const loads = [
    { name: '4 clients open TIFF', path: tiff.path, planes: 0 },
    { name: '4 clients open TIFF and read planes', path: tiff.path, planes: 2 },
    { name: '4 clients open deflate', path: deflate.path, planes: 0 },
    { name: '4 clients open deflate and read planes', path: deflate.path, planes: 2 },
  ];
  const ours = await startOurs(data);
  try {
    await healthTable([ours], loads, { rounds: Number(rounds), seconds: Number(seconds) }, console.log);
  } finally {
    await ours.stop();
    closeConnections();
  }
}
