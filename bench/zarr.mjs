// Chunks of 1 MiB per second of a session as OME-Zarr, with one and eight connections, beside a bare node:http server that sends
// as many bytes from memory. The servers take turns, and the plane is decoded before.
//   node bench/zarr.mjs [FILE [ROUNDS [SECONDS]]]     FILE: a scan with 512 pixels per line of 16 bits
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { median } from './beside/figures.mjs';
import { startOurs } from './beside/servers.mjs';
import { prepareLongScan } from './files.mjs';
import { call } from './processes.mjs';

const CHUNK_BYTES = 2 ** 20;
const CHUNK_ROWS = 1024;
const BARE_SERVER = `
  const body = Buffer.alloc(${CHUNK_BYTES}, 7);
  const server = require('node:http').createServer((request, response) => {
    response.writeHead(200, { 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;

const data = join(import.meta.dirname, 'data');
const [file = prepareLongScan(data), rounds = '5', seconds = '2'] = process.argv.slice(2);
const ours = await startOurs(data);
const bare = spawn(process.execPath, ['-e', BARE_SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
const [port] = await once(bare.stdout, 'data');
try {
  const { body: opened } = await call('POST', `${ours.url}/api/v2/open`, { path: file, decode: 'later' });
  const count = Math.floor(opened.plane.shape[0] / CHUNK_ROWS);
  const chunk = (i) => `${ours.url}${opened.zarr['0.5']}/0/c/0/0/0/${i % count}/0`;
  const first = await read(chunk(0));
  if (first !== CHUNK_BYTES) throw new Error(`chunks have ${first} bytes; expected ${CHUNK_BYTES}`);
  console.log('| connections | chunks/s | bare server | ours ÷ bare |\n|--:|--:|--:|--:|');
  for (const connections of [1, 8]) {
    const rates = { ours: [], bare: [] };
    for (let round = 0; round < Number(rounds); round++) {
      rates.bare.push(await rate(() => `http://127.0.0.1:${Number(port)}/`, connections));
      rates.ours.push(await rate(chunk, connections));
    }
    const ratio = median(rates.ours.map((value, i) => value / rates.bare[i]));
    const cells = [connections, ...[rates.ours, rates.bare].map((values) => Math.round(median(values)))];
    console.log(`| ${cells.join(' | ')} | ${ratio.toFixed(2)} |`);
  }
} finally {
  bare.kill();
  await ours.stop();
}

/** Bodies per second that `connections` connections read, each as fast as it can. */
async function rate(address, connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const start = performance.now();
  let next = 0;
  const work = async () => {
    while (performance.now() - start < Number(seconds) * 1000) await read(address(next++), agent);
  };
  await Promise.all(Array.from({ length: connections }, work));
  const elapsed = performance.now() - start;
  agent.destroy();
  return (next * 1000) / elapsed;
}

/** @returns {Promise<number>} bytes of the body */
function read(address, agent) {
  return new Promise((resolve, reject) => {
    get(address, { agent }, (response) => {
      let length = 0;
      response.on('data', (part) => {
        length += part.length;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve(length);
        else reject(new Error(`${address} answered ${response.statusCode}`));
      });
      response.on('error', reject);
    }).on('error', reject);
  });
}
