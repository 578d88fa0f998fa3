// GET /health while a server decodes, beside a yardstick: a bare node:http server that answers the same bytes while a process
// spins on every core. A client in a process of its own asks all of them, in rounds in which they take turns.
//   node bench/health.mjs [ROUNDS [SECONDS]]     ours alone
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeConnections, visit } from './beside/client.mjs';
import { quantile, ratio, wait } from './beside/figures.mjs';
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

/** @typedef {{ name: string, times: number[] }} Asked milliseconds of the answers under one load */

/**
 * Asks the yardstick, and each server idle and under each load, in turns.
 * @param {import('./beside/servers.mjs').Server[]} servers
 * @param {{ name: string, path: string, planes: number }[]} loads each with four clients that open, read so many planes, delete
 * @param {number} seconds of each
 * @returns {Promise<Asked[]>} the yardstick first
 */
export async function measureHealth(servers, loads, seconds) {
  const bare = await startBareServer();
  const nothing = () => async () => {};
  const cases = [
    { name: 'yardstick: a bare server beside spinning processes', url: bare.url, start: spin },
    { name: 'a bare server, idle', url: bare.url, start: nothing },
    ...servers.flatMap((server) => [
      { name: `${server.name}, idle`, url: server.url, start: nothing },
      ...loads.map((load) => ({
        name: `${server.name}, ${load.name}`,
        url: server.url,
        start: () => openAgain(server, load),
      })),
    ]),
  ];
  const asked = [];
  try {
    for (const { name, url, start } of cases) {
      const stop = start();
      asked.push({ name, times: await askHealth(url, seconds) });
      await stop();
      await wait(REST_MS);
    }
  } finally {
    bare.stop();
  }
  return asked;
}

/**
 * Prints a row for each case of all runs. A ratio is that of p99 to the p99 of the yardstick in the same run.
 * @param {Asked[][]} runs
 * @param {(text?: string) => void} say
 */
export function healthTable(runs, say) {
  say('| asked | p50 | p90 | p99 | max | p99 ÷ yardstick |');
  say('|---|--:|--:|--:|--:|--:|');
  const worst = (at) => runs.map((asked) => [quantile(asked[at].times, 0.99)]);
  for (const [at, { name }] of runs[0].entries()) {
    const all = runs.flatMap((asked) => asked[at].times);
    const cells = [0.5, 0.9, 0.99, 1].map((share) => quantile(all, share).toFixed(1));
    say(`| ${[name, ...cells, ratio(worst(0), worst(at))].join(' | ')} |`);
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
function openAgain(server, { path, planes }) {
  let running = true;
  const streaming = Array.from({ length: STREAMS }, async () => {
    while (running) await visit(server, path, { planes });
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
    const runs = [];
    for (let i = 0; i < Number(rounds); i++) runs.push(await measureHealth([ours], loads, Number(seconds)));
    healthTable(runs, console.log);
  } finally {
    await ours.stop();
    closeConnections();
  }
}
