// A long day of the server in little time: several clients open files of all formats, read all planes, delete four of five
// sessions and leave the fifth to expire; large planes come in between. What each plane holds must never change, an
// expired session must be gone, and memory, descriptors, threads and the delay of the event loop must end as they began.
//   node bench/soak.mjs [MINUTES]      30 without it; dist must be built
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { prepareBruker } from './bruker.mjs';
import { prepareCzi } from './czi.mjs';
import { prepare, prepareLarge } from './files.mjs';
import { prepareHdf5 } from './hdf5.mjs';
import { prepareOmeZarr } from './ome-zarr.mjs';
import { call, startServer } from './processes.mjs';

const PORT = 18_770;
const CLIENTS = 4;
const TTL_SECONDS = 30;
/** Time after its life within which a session must be gone. */
const GRACE_SECONDS = 5;
/** One open of so many is a large one. */
const LARGE_EVERY = 40;
const LEFT_EVERY = 5;
/** Share of the time at its start and at its end that are compared. */
const WINDOW = 0.1;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function largeFiles(data) {
  const czi = await prepareCzi(data);
  const hdf5 = prepareHdf5(data);
  return [
    ...prepare(data).map(({ path }) => path),
    ...prepareLarge(data).map(({ path }) => path),
    czi.line,
    czi.zstd,
    hdf5.lines,
    hdf5.zipped,
    hdf5.sparse,
    prepareBruker(data).lines,
  ];
}

/** Own files, and the samples beside the project: those that cannot be read are opened too. */
async function smallFiles(data) {
  const { supportedExtensions } = await import('../packages/readers/dist/formats/index.js');
  const { movie } = prepareHdf5(data);
  const stores = await prepareOmeZarr(data);
  const example = join(root, 'examples', 'vessel-kymograph.ome.tif');
  const own = [example, movie, prepareBruker(data).series, ...stores.map(({ path }) => path)];
  const samples = join(root, '../shared/samples');
  const found = [];
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const readable = supportedExtensions().some((extension) => entry.name.toLowerCase().endsWith(extension));
      if (readable) found.push(path);
      if (entry.isDirectory() && !entry.name.endsWith('.zarr')) visit(path);
    }
  };
  if (statSync(samples, { throwIfNoEntry: false })) visit(samples);
  else console.log('There are no samples beside the project: only own files are opened.');
  return [...own, ...found];
}

class Soak {
  constructor(server, small, large) {
    this.server = server;
    this.small = small;
    this.large = large;
    this.next = 0;
    this.count = 0;
    this.largeBusy = false;
    this.totals = { opens: 0, planes: 0, bytes: 0, left: 0, expired: 0 };
    this.refusals = new Map();
    this.formats = new Map();
    /** What each file answered first. */
    this.first = new Map();
    this.faults = [];
    this.leftOver = [];
  }

  async client(until) {
    while (Date.now() < until) {
      const isLarge = ++this.count % LARGE_EVERY === 0 && !this.largeBusy;
      if (isLarge) this.largeBusy = true;
      try {
        await this.visit(
          isLarge ? this.large[this.count % this.large.length] : this.pick(),
          this.count % LEFT_EVERY === 0,
        );
      } finally {
        if (isLarge) this.largeBusy = false;
      }
    }
  }

  /** Each file once, then any. */
  pick() {
    const at = this.next < this.small.length ? this.next++ : Math.floor(Math.random() * this.small.length);
    return this.small[at];
  }

  async visit(path, leave) {
    const { status, body } = await call('POST', `${this.server.url}/api/v2/open`, { path });
    if (status !== 200) return this.noteRefusal(path, body);
    this.totals.opens++;
    this.formats.set(body.source.format, (this.formats.get(body.source.format) ?? 0) + 1);
    const sums = [];
    for (const { dataUrl } of [...body.channels, ...(body.reference?.channels ?? [])]) {
      sums.push(await this.read(path, dataUrl));
    }
    if (!sums.includes(undefined)) this.compare(path, sums.join(' '));
    const url = `${this.server.url}/api/v2/sessions/${body.sessionId}`;
    if (leave) {
      this.totals.left++;
      this.leftOver.push({ url, at: Date.now() });
    } else {
      const gone = await call('DELETE', url);
      if (gone.status !== 200) this.faults.push(`${path}: its session cannot be deleted: ${JSON.stringify(gone.body)}`);
    }
  }

  /** @returns the checksum of a plane; `undefined` when the server has no memory for it right now */
  async read(path, url) {
    const plane = await fetch(this.server.url + url);
    if (plane.status !== 200) {
      this.noteRefusal(path, await plane.json());
      return undefined;
    }
    let sum = 0;
    for await (const part of plane.body) {
      sum = crc32(part, sum);
      this.totals.bytes += part.length;
    }
    this.totals.planes++;
    return sum;
  }

  noteRefusal(path, body) {
    const { error: code, message } = body;
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
    if (code === 'internal_error') this.faults.push(`${path}: ${message}`);
    if (code !== 'capacity_exceeded' && code !== 'session_not_found') this.compare(path, code);
  }

  compare(path, answer) {
    const first = this.first.get(path) ?? answer;
    this.first.set(path, first);
    if (first !== answer) this.faults.push(`${path}: answered ${answer} where it was ${first} before`);
  }

  async checkExpired() {
    const due = Date.now() - (TTL_SECONDS + GRACE_SECONDS) * 1000;
    while (this.leftOver.length > 0 && this.leftOver[0].at < due) {
      const { url } = this.leftOver.shift();
      const { status } = await call('GET', url);
      if (status === 404) this.totals.expired++;
      else this.faults.push(`${url}: answers ${status} ${TTL_SECONDS + GRACE_SECONDS} s after its last use`);
    }
  }
}

/** Looks at the server every second until stopped. */
function observe(server, soak) {
  const seen = [];
  const timer = setInterval(() => {
    seen.push({ at: Date.now(), rss: server.rss(), descriptors: server.descriptors(), threads: server.threads() });
    void soak.checkExpired();
  }, 1000);
  return { seen, stop: () => clearInterval(timer) };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** A row of the table: what was seen from `from` to `to`. */
function row(name, seen, delays, from, to) {
  const inside = ({ at }) => at >= from && at <= to;
  const looks = seen.filter(inside);
  const loop = delays.filter(inside);
  const most = (key) => Math.max(...looks.map((look) => look[key]));
  const mb = (bytes) => Math.round(bytes / 1e6).toLocaleString('en');
  const worst = (key) => Math.max(...loop.map((delay) => delay[key])).toFixed(0);
  return `| ${[
    name,
    `${mb(median(looks.map(({ rss }) => rss)))} (${mb(most('rss'))})`,
    `${median(looks.map(({ descriptors }) => descriptors))} (${most('descriptors')})`,
    `${median(looks.map(({ threads }) => threads))} (${most('threads')})`,
    `${median(loop.map((delay) => delay.median)).toFixed(1)} / ${median(loop.map((delay) => delay.p99)).toFixed(1)} / ${worst('max')}`,
  ].join(' | ')} |`;
}

function report(soak, seen, delays, { started, loaded, ended, quiet }) {
  const window = (ended - loaded) * WINDOW;
  console.log('| | resident MB (most) | descriptors (most) | threads (most) | event loop ms: median / p99 / most |');
  console.log('|---|--:|--:|--:|--:|');
  console.log(row('before the first open', seen, delays, started, loaded));
  console.log(row(`first ${Math.round(window / 1000)} s`, seen, delays, loaded, loaded + window));
  console.log(row('whole time', seen, delays, loaded, ended));
  console.log(row(`last ${Math.round(window / 1000)} s`, seen, delays, ended - window, ended));
  console.log(row('after the last session expired', seen, delays, quiet, Date.now()));
  const { opens, planes, bytes, left, expired } = soak.totals;
  console.log(
    `\n${opens} opens, ${planes} planes, ${Math.round(bytes / 1e9)} GB; ${left} sessions left alone, ${expired} of them found gone.`,
  );
  console.log(`Formats: ${[...soak.formats].map(([format, count]) => `${format} ${count}`).join(', ')}`);
  console.log(`Refused: ${[...soak.refusals].map(([code, count]) => `${code} ${count}`).join(', ') || 'nothing'}`);
  console.log(soak.faults.length === 0 ? 'Faults: none' : `Faults: ${soak.faults.length}`);
  for (const fault of soak.faults.slice(0, 20)) console.log(`  ${fault}`);
}

async function main(minutes) {
  const data = join(root, 'bench', 'data');
  mkdirSync(data, { recursive: true });
  const [small, large] = [await smallFiles(data), await largeFiles(data)];
  console.log(`${minutes} minutes, ${CLIENTS} clients, ${small.length} files and ${large.length} large ones:`);
  console.log(`${large.map((path) => basename(path)).join(', ')}\n`);
  const delayFile = join(data, 'loop-delay.jsonl');
  rmSync(delayFile, { force: true });
  const server = await startServer(root, data, PORT, {
    flags: ['--session-ttl', String(TTL_SECONDS), '--log-level', 'warn'],
    nodeFlags: ['--import', fileURLToPath(new URL('loop-delay.mjs', import.meta.url))],
    env: { LOOP_DELAY_FILE: delayFile },
  });
  try {
    const soak = new Soak(server, small, large);
    const started = Date.now();
    const { seen, stop } = observe(server, soak);
    await wait(10);
    const loaded = Date.now();
    const until = loaded + minutes * 60_000;
    await Promise.all(Array.from({ length: CLIENTS }, () => soak.client(until)));
    const ended = Date.now();
    await wait(TTL_SECONDS + GRACE_SECONDS + 20);
    const quiet = Date.now();
    await wait(10);
    stop();
    const delays = readFileSync(delayFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    report(soak, seen, delays, { started, loaded, ended, quiet });
    process.exitCode = soak.faults.length > 0 || soak.leftOver.length > 0 ? 1 : 0;
  } finally {
    server.stop();
  }
}

await main(Number(process.argv[2] ?? 30));
