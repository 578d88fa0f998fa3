// The open of large uncompressed planes over HTTP, beside the least that any reader must do: the same bytes read, and
// widened into memory that was used before. Interleaved in one run: in a row, and after a rest with another server at
// work. Counts the garbage collections of the main thread on the way.
//   node bench/open.mjs [NAME …]     only rows whose name contains one of these
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareCzi } from './czi.mjs';
import { prepare, prepareLongScan } from './files.mjs';
import { call, startServer } from './processes.mjs';

const PORT = Number(process.env.PORT ?? 18_790);
const WARM_UP = 6;
const ROUNDS = Number(process.env.ROUNDS ?? 15);
const RESTED_ROUNDS = Number(process.env.RESTED_ROUNDS ?? 9);
const REST_MS = 500;
const SETTLED_MS = 25_000;
const PIECE_BYTES = 2 ** 19;

const ms = (value) => `${value < 100 ? value.toFixed(1) : Math.round(value)}`;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => sorted(values)[Math.floor(values.length / 2)];

/** Prints the section. `dist` must be built. */
export async function benchOpen(root, data, say, only = []) {
  say('## Open of large planes, beside a bare read');
  say();
  say(
    'Milliseconds, median (minimum). Bare: the bytes of the planes read in pieces of 512 KiB and converted to float32, on ' +
      'one thread, into memory that was used before. Open: `POST /api/v2/open` on a server that has warmed up and rested, ' +
      `session deleted afterwards. Rested: another server opens the same file, then ${REST_MS} ms of rest before each. ` +
      'Processor: time of all threads of the server per open in a row. GC: full collections of the main thread per open.',
  );
  say();
  say('| file | bare | open | ÷ bare | rested bare | rested open | ÷ bare | processor | GC |');
  say('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const file of await rows(data)) {
    if (only.length > 0 && !only.some((part) => file.name.includes(part))) continue;
    const row = await measure(root, data, file);
    const times = ({ bare, open }) => [cell(bare), cell(open), ratio(open, row.inRow.bare)];
    const cells = [...times(row.inRow), ...times(row.rested), ms(row.processor), row.collections.toFixed(2)];
    say(`| ${[file.name, ...cells].join(' | ')} |`);
  }
  say();
}

const cell = (times) => `${ms(median(times))} (${ms(Math.min(...times))})`;
const ratio = (times, bare) =>
  `${(median(times) / median(bare)).toFixed(2)} (${(Math.min(...times) / Math.min(...bare)).toFixed(2)})`;

async function rows(data) {
  const czi = await prepareCzi(data);
  const files = prepare(data);
  const [tiff, oir, lif, nd2] = ['plain.ome.tif', 'line.oir', 'scan.lif', 'scan.nd2'].map((name) => join(data, name));
  const bytes = 2 * 30_000 * 512 * 2;
  if (files.some(({ path }) => !existsSync(path))) throw new Error('a file is missing');
  return [
    { name: 'TIFF 2×30,000×512', path: tiff, bytes },
    { name: 'TIFF 1×30,000×512', path: tiff, bytes: bytes / 2, channelIndices: [0] },
    { name: 'CZI 2×30,000×512', path: czi.twoLines, bytes },
    { name: 'LIF 2×30,000×512', path: lif, bytes },
    { name: 'OIR 2×30,000×512', path: oir, bytes },
    { name: 'ND2 2×30,000×512, interleaved', path: nd2, bytes },
    { name: 'TIFF 2×200,000×512', path: prepareLongScan(data), bytes: 2 * 200_000 * 512 * 2 },
  ];
}

async function measure(root, data, file) {
  const ours = await startServer(root, data, PORT, { nodeFlags: ['--trace-gc'], keepsOutput: true });
  const other = await startServer(root, join(data, 'other'), PORT + 1);
  const bare = bareReader(file);
  try {
    for (let i = 0; i < WARM_UP; i++) {
      bare();
      await timeOpen(ours, file);
      await timeOpen(other, file);
    }
    // The servers warm up while they are idle, and then give memory back.
    await wait(SETTLED_MS);
    const inRow = { bare: [], open: [] };
    const before = fullCollections(ours);
    let processor = 0;
    for (let i = 0; i < ROUNDS; i++) {
      inRow.bare.push(bare());
      const start = ours.processorMs();
      inRow.open.push(await timeOpen(ours, file));
      processor += ours.processorMs() - start;
    }
    const collections = (fullCollections(ours) - before) / ROUNDS;
    const rested = await measureRested(ours, other, file, bare);
    return { inRow, rested, processor: processor / ROUNDS, collections };
  } finally {
    bare.close();
    ours.stop();
    other.stop();
    await wait(500);
  }
}

async function measureRested(ours, other, file, bare) {
  const times = { bare: [], open: [] };
  for (let i = 0; i < RESTED_ROUNDS; i++) {
    for (const [kind, run] of Object.entries({ bare, open: () => timeOpen(ours, file) })) {
      await timeOpen(other, file);
      await wait(REST_MS);
      times[kind].push(await run());
    }
  }
  return times;
}

/** Milliseconds of an open; the session is deleted. */
async function timeOpen(server, { path, channelIndices }) {
  const { status, body, ms } = await call('POST', `${server.url}/api/v2/open`, { path, channelIndices });
  if (status !== 200) throw new Error(JSON.stringify(body));
  await call('DELETE', `${server.url}/api/v2/sessions/${body.sessionId}`);
  return ms;
}

/** Reads the last bytes of a file, as many as its planes have, and converts them; returns the milliseconds. */
function bareReader({ path, bytes }) {
  const fd = openSync(path, 'r');
  const from = fstatSync(fd).size - bytes;
  const piece = new Uint8Array(PIECE_BYTES);
  const out = new Float32Array(bytes / 2);
  const run = () => {
    const start = performance.now();
    for (let done = 0; done < bytes; done += PIECE_BYTES) {
      const n = readSync(fd, piece, 0, Math.min(PIECE_BYTES, bytes - done), from + done);
      out.set(new Uint16Array(piece.buffer, 0, n / 2), done / 2);
    }
    return performance.now() - start;
  };
  run();
  return Object.assign(run, { close: () => closeSync(fd) });
}

/** Mark-compacts of the main isolate, whose line is the first that `--trace-gc` prints. */
function fullCollections({ output }) {
  const lines = output().split('\n');
  const main = /^\[\d+:(0x[0-9a-f]+)\]/.exec(lines.find((line) => line.startsWith('[')) ?? '')?.[1];
  return lines.filter((line) => line.includes(`:${main}]`) && line.includes('Mark-Compact')).length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  await benchOpen(root, join(root, 'bench', 'data'), console.log, process.argv.slice(2));
}
