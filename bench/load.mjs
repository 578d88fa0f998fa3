// npm run bench -- --load: how much a server stands, alone and as two instances behind HAProxy, beside nginx that sends the
// planes as files. Users open, ask, read every plane and compare it, renew and delete, without a pause.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startNginx } from './processes.mjs';
import { writeSection } from './sections.mjs';

const USERS = [1, 8, 64];
const SECONDS = Number(process.env.LOAD_SECONDS ?? 6);
const FILES = 24;
const [ROWS, COLUMNS, CHANNELS] = [512, 512, 2];
const TOKEN = 'load';
const PORTS = { instances: [18_781, 18_782], balancer: 18_783, store: 18_784, nginx: 18_785 };
/** The name that the configuration of the balancer asks for. */
const HOST = 'imaging.example';
const HEADERS = { authorization: `Bearer ${TOKEN}`, host: HOST };

const root = join(import.meta.dirname, '..');
const folder = join(root, 'bench', 'data', 'load');
const lines = [];
const say = (text = '') => {
  lines.push(text);
  console.log(text);
};

/** Samples of one file: noise that no two files have in common. */
function samplesOf(file) {
  const samples = new Uint16Array(CHANNELS * ROWS * COLUMNS);
  let state = 1 + file;
  for (let i = 0; i < samples.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    samples[i] = state >>> 20;
  }
  return samples;
}

/** Writes OME-TIFFs with a page for each channel, and the planes as files; returns the digest of each plane. */
function prepare() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: FILES }, (_, file) => {
    const samples = samplesOf(file);
    const path = join(folder, `scan-${file}.ome.tif`);
    writeFileSync(path, toTiff(samples));
    const digests = Array.from({ length: CHANNELS }, (_, channel) => {
      const plane = Float32Array.from(samples.subarray(channel * ROWS * COLUMNS, (channel + 1) * ROWS * COLUMNS));
      const bytes = Buffer.from(plane.buffer);
      writeFileSync(join(folder, `scan-${file}-${channel}.f32`), bytes);
      return sha256([bytes]);
    });
    return { path, digests };
  });
}

function toTiff(samples) {
  const xml =
    `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" ` +
    `DimensionOrder="XYCZT" Type="uint16" SizeX="${COLUMNS}" SizeY="${ROWS}" SizeC="${CHANNELS}" SizeZ="1" SizeT="1" BigEndian="false">` +
    `${'<TiffData/>'}</Pixels></Image></OME>\0`;
  const description = Buffer.from(xml);
  const pageBytes = ROWS * COLUMNS * 2;
  const header = Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0]);
  const data = 8 + description.length + (description.length % 2);
  const directories = [];
  const size = 2 + 10 * 12 + 4;
  for (let page = 0; page < CHANNELS; page++) {
    const entries = [
      [256, 3, 1, COLUMNS],
      [257, 3, 1, ROWS],
      [258, 3, 1, 16],
      [259, 3, 1, 1],
      [262, 3, 1, 1],
      [270, 2, description.length, 8],
      [273, 4, 1, data + page * pageBytes],
      [277, 3, 1, 1],
      [278, 3, 1, ROWS],
      [279, 4, 1, pageBytes],
    ];
    const ifd = Buffer.alloc(size);
    ifd.writeUInt16LE(entries.length, 0);
    for (const [i, [tag, type, count, value]] of entries.entries()) {
      ifd.writeUInt16LE(tag, 2 + 12 * i);
      ifd.writeUInt16LE(type, 4 + 12 * i);
      ifd.writeUInt32LE(count, 6 + 12 * i);
      ifd.writeUInt32LE(value, 10 + 12 * i);
    }
    const next = page + 1 < CHANNELS ? data + CHANNELS * pageBytes + (page + 1) * size : 0;
    ifd.writeUInt32LE(next, size - 4);
    directories.push(ifd);
  }
  header.writeUInt32LE(data + CHANNELS * pageBytes, 4);
  const padding = Buffer.alloc(data - 8 - description.length);
  return Buffer.concat([header, description, padding, Buffer.from(samples.buffer), ...directories]);
}

function sha256(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

/** One request; keeps the body as it came. */
function ask(method, url, body) {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const start = performance.now();
    const sent = request(url, { method, agent, headers: { ...HEADERS, ...json } }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, parts, ms: performance.now() - start }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** What all users have seen. */
class Tally {
  opens = [];
  planes = [];
  bytes = 0;
  errors = 0;
  wrong = 0;

  plane({ status, parts, ms }, digest) {
    if (status !== 200) {
      this.errors++;
      return;
    }
    this.planes.push(ms);
    for (const part of parts) this.bytes += part.length;
    if (sha256(parts) !== digest) this.wrong++;
  }
}

async function useServer(url, files, tally, until) {
  while (performance.now() < until) {
    const { path, digests } = files[Math.floor(Math.random() * files.length)];
    try {
      const opened = await ask('POST', `${url}/api/v2/open`, { path });
      if (opened.status !== 200) {
        tally.errors++;
        await setTimeout(50);
        continue;
      }
      tally.opens.push(opened.ms);
      const { sessionId, channels } = JSON.parse(Buffer.concat(opened.parts).toString());
      const session = `${url}/api/v2/sessions/${sessionId}`;
      const others = [await ask('GET', session)];
      for (const [i, { dataUrl }] of channels.entries()) tally.plane(await ask('GET', url + dataUrl), digests[i]);
      others.push(await ask('POST', `${session}/renew`, {}), await ask('DELETE', session));
      tally.errors += others.filter(({ status }) => status !== 200).length;
    } catch {
      tally.errors++;
    }
  }
}

async function readFiles(url, files, tally, until) {
  while (performance.now() < until) {
    const file = Math.floor(Math.random() * files.length);
    for (const [i, digest] of files[file].digests.entries()) {
      try {
        tally.plane(await ask('GET', `${url}/scan-${file}-${i}.f32`), digest);
      } catch {
        tally.errors++;
      }
    }
  }
}

/** Lets `users` work for a while; asks for the health of the first address meanwhile. */
async function run(users, urls, work, health) {
  const tally = new Tally();
  const start = performance.now();
  const until = start + SECONDS * 1000;
  const healths = [];
  const probe = async () => {
    while (performance.now() < until) {
      healths.push((await ask('GET', health).catch(() => ({ ms: Number.NaN }))).ms);
      await setTimeout(20);
    }
  };
  const all = Array.from({ length: users }, (_, i) => work(urls[i % urls.length], tally, until));
  await Promise.all([...all, ...(health ? [probe()] : [])]);
  return { tally, healths, seconds: (performance.now() - start) / 1000 };
}

function cellsOf({ tally, healths, seconds }) {
  const quantile = (values, share) => {
    const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
    return sorted.length === 0
      ? '–'
      : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  };
  const pair = (values) => `${quantile(values, 0.5)} / ${quantile(values, 0.99)}`;
  const opens = tally.opens.length === 0 ? '–' : (tally.opens.length / seconds).toFixed(0);
  const rate = (tally.bytes / 2 ** 20 / seconds).toFixed(0);
  return [opens, pair(tally.opens), rate, pair(tally.planes), quantile(healths, 0.99), tally.errors, tally.wrong];
}

function start(program, args) {
  const child = spawn(program, args, {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  child.on('error', () => {});
  return child;
}

async function listens(port) {
  for (let i = 0; i < 200; i++) {
    const answers = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (answers) return true;
    await setTimeout(50);
  }
  return false;
}

/** Starts instances, with a store if there are two, and the balancer if it is wanted. */
async function deploy(count, isBalanced) {
  const children = [];
  const ports = PORTS.instances.slice(0, count);
  const shared = [];
  if (count > 1) {
    children.push(start('redis-server', ['--port', String(PORTS.store), '--save', '', '--bind', '127.0.0.1']));
    if (!(await listens(PORTS.store))) return undefined;
    shared.push('--session-store', `redis://127.0.0.1:${PORTS.store}`);
  }
  for (const port of ports) {
    const state = ['--state-dir', join(folder, `state-${port}`), '--token', TOKEN, '--root', folder];
    const main = join(root, 'packages/server/dist/cli/main.js');
    children.push(
      start(process.execPath, [
        main,
        'serve',
        '--port',
        String(port),
        '--max-sessions',
        '1000',
        '--allow-host',
        HOST,
        ...state,
        ...shared,
      ]),
    );
  }
  if (isBalanced) {
    writeFileSync(join(folder, 'haproxy.cfg'), localBalancer(ports));
    children.push(start('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]));
  }
  const wanted = isBalanced ? [...ports, PORTS.balancer] : ports;
  const isUp = (await Promise.all(wanted.map(listens))).every(Boolean);
  const stop = async () => {
    for (const child of children) child.kill('SIGKILL');
    await setTimeout(300);
  };
  if (!isUp) {
    await stop();
    return undefined;
  }
  // The warm-up, and the first checks of the balancer.
  await setTimeout(7_000);
  const urls = (isBalanced ? [PORTS.balancer] : ports).map((port) => `http://127.0.0.1:${port}`);
  return { urls, health: `http://127.0.0.1:${ports[0]}/api/v2/health`, stop };
}

/** The configuration that is shipped, with local addresses and without TLS. */
function localBalancer(ports) {
  const shipped = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')
    .replace(/bind :443 .*/, `bind 127.0.0.1:${PORTS.balancer}`)
    .replace(/^\s*stats socket .*$/m, '')
    .replace(/check port \d+/, 'check')
    .replace(/uri \/readyz/, 'uri /api/v2/health')
    .replaceAll('192.0.2.11:8767', `127.0.0.1:${ports[0]}`);
  if (ports.length > 1) return shipped.replaceAll('192.0.2.12:8767', `127.0.0.1:${ports[1]}`);
  return shipped.replace(/^\s*server two.*$/gm, '');
}

export async function benchLoad() {
  const files = prepare();
  const plane = `${ROWS}×${COLUMNS}`;
  say('## Load');
  say();
  say(
    `Made by \`npm run bench -- --load\` with Node ${process.version} on ${cpus().length} cores, which the users share with the servers. ` +
      `Each user opens one of ${FILES} OME-TIFFs of ${CHANNELS}×${plane} uint16, asks for its status, reads both planes (1 MiB each), compares their ` +
      `SHA-256, renews and deletes, without a pause, for ${SECONDS} s. The files are in the page cache. nginx sends the same planes as files of float32. ` +
      'Milliseconds are the median and the 99th percentile. Two instances share the cores of one here: ' +
      'what a second machine adds is not in these rows, what the store and the balancer cost is.',
  );
  say();
  say(
    '| users | server | opens/s | an open, ms | planes, MiB/s | a plane, ms | health p99, ms | errors | wrong planes |',
  );
  say('|--:|---|--:|--:|--:|--:|--:|--:|--:|');
  const rows = [];
  for (const [name, count, isBalanced] of [
    ['1 instance', 1, false],
    ['1 instance behind HAProxy', 1, true],
    ['2 instances', 2, false],
    ['2 instances behind HAProxy', 2, true],
  ]) {
    const deployment = await deploy(count, isBalanced);
    for (const users of USERS) {
      if (!deployment) {
        rows.push([users, name, 'redis-server or haproxy is not installed', '', '', '', '', '', '']);
        continue;
      }
      const { urls, health } = deployment;
      rows.push([
        users,
        name,
        ...cellsOf(await run(users, urls, (...args) => useServer(args[0], files, ...args.slice(1)), health)),
      ]);
    }
    await deployment?.stop();
  }
  const nginx = startNginx(folder, PORTS.nginx);
  if (nginx && (await listens(PORTS.nginx))) {
    for (const users of USERS) {
      rows.push([
        users,
        'nginx, the planes as files',
        ...cellsOf(await run(users, [nginx.url], (url, ...rest) => readFiles(url, files, ...rest))),
      ]);
    }
    nginx.stop();
  }
  rows.sort((a, b) => a[0] - b[0]);
  for (const row of rows) say(`| ${row.join(' | ')} |`);
  say();
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
  const report = join(root, 'docs/benchmarks.md');
  if (process.argv.includes('--write') && existsSync(report)) writeSection(report, lines);
}

await benchLoad();
