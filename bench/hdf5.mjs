// NWB: a movie of 3 GB of which one frame is read, a line scan as it is and in gzip chunks, beside a bare read of the same bytes.
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';

const SIDE = 1024;
const FRAMES = 1500;
const LINES = 30_000;
const COLUMNS = 512;
const LINES_PER_CHUNK = 500;
const ROUNDS = 7;
const NOWHERE = Buffer.alloc(8, 0xff);

/** Prints the section; the files are made once, in `data`. */
export async function benchHdf5(data, say) {
  const { openAcquisition } = await import('../packages/server/dist/open.js');
  const { Float32Target } = await import('../packages/readers/dist/model/samples/plane-target.js');
  const { movie, lines, zipped } = prepareHdf5(data);
  /** @type {[name: string, path: string, t: number, bare: (bytes: number) => void][]} */
  const rows = [
    [`a frame of ${FRAMES}×${SIDE}×${SIDE} (3.1 GB)`, movie, 700, (bytes) => bareRead(movie, bytes)],
    [`line scan ${LINES.toLocaleString('en')}×${COLUMNS}`, lines, 0, (bytes) => bareRead(lines, bytes)],
    [`the same in gzip chunks of ${LINES_PER_CHUNK} lines`, zipped, 0, () => bareInflate(zipped)],
  ];
  say('## HDF5 (NWB), in process');
  say();
  say('| recording | open | plane | bare read (or inflate) + set | ratio | resident set ÷ plane |');
  say('|---|--:|--:|--:|--:|--:|');
  for (const [name, path, t, bare] of rows) {
    const times = { open: [], plane: [], bare: [] };
    for (let i = 0; i < ROUNDS; i++) {
      const opened = await timed(times.open, () => openAcquisition(path));
      const { Y, X } = opened.acquisition.info.scenes[0].sizes;
      const target = new Float32Target(Y, X);
      await timed(times.plane, () => opened.acquisition.readPlane({ scene: 0, channel: 0, t, z: 0 }, target));
      await timed(times.bare, () => bare(Y * X * 2));
      opened.close();
    }
    const [open, read, alone] = [times.open, times.plane, times.bare].map(median);
    const memory = child(path);
    say(
      `| ${name} | ${open.toFixed(1)} ms | ${read.toFixed(1)} ms | ${alone.toFixed(1)} ms | ${(read / alone).toFixed(2)} | ` +
        `${(memory.growth / memory.planeBytes).toFixed(2)} |`,
    );
  }
  say();
}

/** Makes the files once. */
export function prepareHdf5(data) {
  const [movie, lines, zipped, sparse] = ['movie', 'lines', 'zipped', 'sparse'].map((name) =>
    join(data, `${name}.nwb`),
  );
  if (!existsSync(movie)) writeMovie(movie);
  if (!existsSync(lines)) writeLines(lines, false);
  if (!existsSync(zipped)) writeLines(zipped, true);
  if (!existsSync(sparse)) writeSparse(sparse);
  return { movie, lines, zipped, sparse };
}

function child(path) {
  const script = join(import.meta.dirname, 'library.mjs');
  return JSON.parse(execFileSync(process.execPath, [script, 'memory', path], { encoding: 'utf8' }));
}

async function timed(times, work) {
  const start = performance.now();
  const result = await work();
  times.push(performance.now() - start);
  return result;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** The last bytes of a file, in pieces, as numbers. */
function bareRead(path, bytes) {
  const fd = openSync(path, 'r');
  const out = new Float32Array(bytes / 2);
  const piece = new Uint8Array(2 ** 19);
  const from = 2 ** 20;
  for (let done = 0; done < bytes; done += piece.length) {
    const n = Math.min(piece.length, bytes - done);
    readSync(fd, piece, 0, n, from + done);
    out.set(new Uint16Array(piece.buffer, 0, n / 2), done / 2);
  }
  closeSync(fd);
}

function bareInflate(path) {
  const fd = openSync(path, 'r');
  const out = new Float32Array(LINES * COLUMNS);
  for (let row = 0; row < LINES; row += LINES_PER_CHUNK) {
    const stored = deflated(row);
    const bytes = Buffer.alloc(stored.length);
    readSync(fd, bytes, 0, bytes.length, 2 ** 20);
    const plain = inflateSync(stored, { chunkSize: LINES_PER_CHUNK * COLUMNS * 2 });
    out.set(new Uint16Array(plain.buffer, plain.byteOffset, plain.length / 2), row * COLUMNS);
  }
  closeSync(fd);
}

const chunks = new Map();
function deflated(row) {
  if (!chunks.has(row)) chunks.set(row, deflateSync(band(row, LINES_PER_CHUNK), { level: 4 }));
  return chunks.get(row);
}

function band(row, rows) {
  const bytes = Buffer.alloc(rows * COLUMNS * 2);
  const samples = new Uint16Array(bytes.buffer, bytes.byteOffset, rows * COLUMNS);
  let seed = (row * 2654435761 + 1) >>> 0;
  for (let i = 0; i < samples.length; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    samples[i] = 400 + ((i * 7) % 211) * 12 + (seed >>> 26);
  }
  return bytes;
}

/** Pixels begin at 1 MiB, so that the bare read knows where; the movie is a hole. */
function writeMovie(path) {
  const fd = openSync(path, 'w');
  const bytes = FRAMES * SIDE * SIDE * 2;
  const writer = new Writer(fd);
  const data = writer.object([...array([FRAMES, SIDE, SIDE]), contiguous(2 ** 20, bytes)]);
  writer.finish('TwoPhotonSeries', data, 30, 2 ** 20 + bytes);
  ftruncateSync(fd, 2 ** 20 + bytes);
  closeSync(fd);
}

function writeLines(path, zipped) {
  const fd = openSync(path, 'w');
  const writer = new Writer(fd);
  let at = 2 ** 20;
  const keys = [];
  for (let row = 0; row < LINES; row += LINES_PER_CHUNK) {
    const bytes = zipped ? deflated(row) : band(row, LINES_PER_CHUNK);
    writeSync(fd, bytes, 0, bytes.length, at);
    keys.push([bytes.length, row, at]);
    at += bytes.length;
  }
  const bytes = LINES * COLUMNS * 2;
  const layout = zipped ? chunked(writer.chunkTree(keys)) : contiguous(2 ** 20, bytes);
  const data = writer.object([...array([LINES, COLUMNS]), ...(zipped ? [[0x0b, GZIP]] : []), layout]);
  writer.finish('TimeSeries', data, 500, at);
  closeSync(fd);
}

/** Chunks of which none was written: a file of some KB whose plane takes 2 GB. */
function writeSparse(path) {
  const fd = openSync(path, 'w');
  const writer = new Writer(fd);
  const shape = [20_000, 26_000];
  const layout = Buffer.concat([
    Buffer.from([3, 2, 3]),
    NOWHERE,
    Buffer.from(Uint32Array.of(LINES_PER_CHUNK, 500, 2).buffer),
  ]);
  const data = writer.object([...array(shape), [0x0b, GZIP], [8, layout]]);
  writer.finish('TimeSeries', data, 500, 10_240);
  ftruncateSync(fd, 10_240);
  closeSync(fd);
}

const u64 = (...values) => Buffer.from(BigUint64Array.from(values, BigInt).buffer);
const GZIP = Buffer.from([1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
const UINT16 = Buffer.from([0x10, 0, 0, 0, 2, 0, 0, 0, 0, 0, 16, 0]);
const FLOAT64 = Buffer.from([0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0]);
const text = (size) => Buffer.from([0x13, 0, 0, 0, size, 0, 0, 0]);
const space = (shape) => Buffer.concat([Buffer.from([1, shape.length, 0, 0, 0, 0, 0, 0]), u64(...shape)]);
const array = (shape) => [
  [1, space(shape)],
  [3, UINT16],
];
const contiguous = (address, bytes) => [8, Buffer.concat([Buffer.from([3, 1]), u64(address, bytes)])];
const chunked = (tree) => [
  8,
  Buffer.concat([Buffer.from([3, 2, 3]), u64(tree), Buffer.from(Uint32Array.of(LINES_PER_CHUNK, COLUMNS, 2).buffer)]),
];
const padded = (bytes) => Buffer.concat([bytes], Math.ceil(bytes.length / 8) * 8);

function attribute(name, type, data) {
  const parts = [Buffer.from(`${name}\0`), type, space([])];
  const head = Buffer.from(Uint16Array.of(1, ...parts.map(({ length }) => length)).buffer);
  return [12, Buffer.concat([head, ...parts.map(padded), data])];
}

const named = (name, value) => attribute(name, text(value.length), Buffer.from(value));
const number = (name, value) => attribute(name, FLOAT64, Buffer.from(Float64Array.of(value).buffer));

/** Metadata from offset 96 on, below 1 MiB. */
class Writer {
  constructor(fd) {
    this.fd = fd;
    this.at = 96;
  }

  put(bytes) {
    const at = this.at;
    writeSync(this.fd, bytes, 0, bytes.length, at);
    this.at += Math.ceil(bytes.length / 8) * 8;
    return at;
  }

  object(messages) {
    const bodies = messages.flatMap(([type, body]) => {
      const full = padded(body);
      return [Buffer.from(Uint16Array.of(type, full.length, 0, 0).buffer), full];
    });
    const all = Buffer.concat(bodies);
    const head = Buffer.alloc(16);
    head.writeUInt8(1, 0);
    head.writeUInt16LE(messages.length, 2);
    head.writeUInt32LE(1, 4);
    head.writeUInt32LE(all.length, 8);
    return this.put(Buffer.concat([head, all]));
  }

  /** @param members sorted by name */
  group(members, attributes = []) {
    const names = Buffer.concat([Buffer.alloc(8), ...members.map(([name]) => padded(Buffer.from(`${name}\0`)))]);
    let at = 8;
    let last = 0;
    const entries = members.map(([name, address]) => {
      const entry = Buffer.concat([u64(at, address), Buffer.alloc(24)]);
      last = at;
      at += Math.ceil((name.length + 1) / 8) * 8;
      return entry;
    });
    const head = Buffer.from('SNOD\u0001\0\0\0', 'latin1');
    head.writeUInt16LE(members.length, 6);
    const table = this.put(Buffer.concat([head, ...entries]));
    const tree = Buffer.from('TREE\0\0\u0001\0', 'latin1');
    const root = this.put(Buffer.concat([tree, NOWHERE, NOWHERE, u64(0, table, last)]));
    const heap = this.put(Buffer.concat([Buffer.from('HEAP\0\0\0\0'), u64(names.length, 1, this.put(names))]));
    return this.object([[0x11, u64(root, heap)], ...attributes]);
  }

  chunkTree(keys) {
    const head = Buffer.from('TREE\u0001\0\0\0', 'latin1');
    head.writeUInt16LE(keys.length, 6);
    const key = (size, row) => Buffer.concat([Buffer.from(Uint32Array.of(size, 0).buffer), u64(row, 0, 0)]);
    const entries = keys.flatMap(([size, row, address]) => [key(size, row), u64(address)]);
    return this.put(Buffer.concat([head, NOWHERE, NOWHERE, ...entries, key(0, LINES)]));
  }

  finish(type, data, rate, end) {
    const start = this.object([
      [1, space([])],
      [3, FLOAT64],
      [8, Buffer.from([3, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
      number('rate', rate),
    ]);
    const series = this.group(
      [
        ['data', data],
        ['starting_time', start],
      ],
      [named('neurodata_type', type)],
    );
    const root = this.group([['acquisition', this.group([['series', series]])]], [named('nwb_version', '2.6.0')]);
    const head = Buffer.from([0x89, 0x48, 0x44, 0x46, 13, 10, 26, 10, 0, 0, 0, 0, 0, 8, 8, 0, 4, 0, 16, 0, 0, 0, 0, 0]);
    const entry = Buffer.concat([u64(0, root), Buffer.alloc(24)]);
    const superblock = Buffer.concat([head, u64(0), NOWHERE, u64(end), NOWHERE, entry]);
    writeSync(this.fd, superblock, 0, superblock.length, 0);
  }
}
