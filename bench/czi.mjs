// CZI: raw line scan, Zstd frames, JPEG XR frame. Each beside its codec alone (or a bare read) in the same process.
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { compress } from '@bokuweb/zstd-wasm';

const LINES = 30_000;
const COLUMNS = 512;
const RUN = 82;
const SIDE = 2048;
const FRAMES = 4;

/** A 12-bit signal with noise, rows of `columns` samples. */
function signal(rows, columns, from = 0) {
  const out = new Uint16Array(rows * columns);
  let seed = (from * 2654435761) >>> 0;
  for (let i = 0; i < out.length; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const [y, x] = [from + Math.floor(i / columns), i % columns];
    out[i] = 400 + ((x * 7 + y * 3) % 211) * 12 + (seed >>> 26);
  }
  return out;
}

const bytesOf = (samples) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

/** All low bytes, then all high bytes. */
function hiLo(bytes) {
  const half = bytes.length / 2;
  const out = Buffer.alloc(bytes.length);
  for (let i = 0; i < half; i++) {
    out[i] = bytes[2 * i];
    out[half + i] = bytes[2 * i + 1];
  }
  return out;
}

/** Segments one behind the other, the directory last. `blocks` yields `{dims, compression, data}`, or `hollow` bytes of a hole for data. */
export function writeFile(path, blocks) {
  const fd = openSync(path, 'w');
  let at = 544;
  const segment = (id, data, hollow = 0) => {
    const used = data.length + hollow;
    const allocated = Math.ceil(used / 32) * 32;
    const bytes = Buffer.alloc(32 + data.length);
    bytes.write(id, 0);
    bytes.writeBigInt64LE(BigInt(allocated), 16);
    bytes.writeBigInt64LE(BigInt(used), 24);
    data.copy(bytes, 32);
    writeSync(fd, bytes, 0, bytes.length, at);
    at += 32 + allocated;
  };
  const entries = [];
  for (const { dims, compression, data = Buffer.alloc(0), hollow = 0 } of blocks) {
    const entry = Buffer.alloc(32 + 20 * dims.length);
    entry.write('DV', 0);
    entry.writeInt32LE(1, 2);
    entry.writeBigInt64LE(BigInt(at), 6);
    entry.writeInt32LE(compression, 18);
    entry.writeInt32LE(dims.length, 28);
    dims.forEach(([name, start, size], i) => {
      entry.write(name, 32 + 20 * i);
      entry.writeInt32LE(start, 36 + 20 * i);
      entry.writeInt32LE(size, 40 + 20 * i);
    });
    const head = Buffer.alloc(256);
    head.writeBigInt64LE(BigInt(data.length + hollow), 8);
    entry.copy(head, 16);
    entries.push(entry);
    segment('ZISRAWSUBBLOCK', Buffer.concat([head, data]), hollow);
  }
  const count = Buffer.alloc(128);
  count.writeInt32LE(entries.length, 0);
  const directory = at;
  segment('ZISRAWDIRECTORY', Buffer.concat([count, ...entries]));
  const header = Buffer.alloc(544);
  header.write('ZISRAWFILE', 0);
  header.writeBigInt64LE(512n, 16);
  header.writeBigInt64LE(512n, 24);
  header.writeInt32LE(1, 32);
  header.writeBigInt64LE(BigInt(directory), 84);
  writeSync(fd, header, 0, header.length, 0);
  closeSync(fd);
}

function* lineScan(channels = 1) {
  for (let c = 0; c < channels; c++) {
    for (let t = 0; t < LINES; t += RUN) {
      const rows = Math.min(RUN, LINES - t);
      const dims = [
        ['X', 0, COLUMNS],
        ['T', t, rows],
        ['C', c, 1],
      ];
      yield { dims, compression: 0, data: bytesOf(signal(rows, COLUMNS, t + c * LINES)) };
    }
  }
}

function* frames() {
  for (let t = 0; t < FRAMES; t++) {
    const frame = compress(hiLo(bytesOf(signal(SIDE, SIDE, t))), 3);
    const dims = [
      ['X', 0, SIDE],
      ['Y', 0, SIDE],
      ['T', t, 1],
    ];
    yield { dims, compression: 6, data: Buffer.concat([Buffer.of(3, 1, 1), frame]) };
  }
}

/** 5 GB of holes in 10,000 subblocks. */
function* series() {
  for (let t = 0; t < 10_000; t++) {
    const dims = [
      ['X', 0, 512],
      ['Y', 0, 512],
      ['T', t, 1],
    ];
    yield { dims, compression: 0, hollow: 512 * 512 * 2 };
  }
}

/** The encoder of jxrlib; undefined where it is not installed. */
function jpegXr(folder) {
  const raw = join(folder, 'frame.tif');
  const coded = join(folder, 'frame.jxr');
  const fields = [
    [256, SIDE],
    [257, SIDE],
    [258, 16],
    [259, 1],
    [262, 1],
    [273, 256],
    [277, 1],
    [278, SIDE],
    [279, SIDE * SIDE * 2],
  ];
  const head = Buffer.alloc(256);
  head.write('II*\0', 0, 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(fields.length, 8);
  fields.forEach(([tag, value], i) => {
    head.writeUInt16LE(tag, 10 + 12 * i);
    head.writeUInt16LE(4, 12 + 12 * i);
    head.writeUInt32LE(1, 14 + 12 * i);
    head.writeUInt32LE(value, 18 + 12 * i);
  });
  writeFileSync(raw, Buffer.concat([head, bytesOf(signal(SIDE, SIDE))]));
  try {
    execFileSync('JxrEncApp', ['-i', raw, '-o', coded, '-c', '3'], { stdio: 'ignore' });
    return readFileSync(coded);
  } catch {
    return undefined;
  } finally {
    for (const path of [raw, coded]) rmSync(path, { force: true });
  }
}

/** Makes the files once. */
export async function prepareCzi(folder) {
  mkdirSync(folder, { recursive: true });
  // One start for the compressor here and the decoder of the readers: a second one would break the first.
  const { wasmDecoder } = await import('../packages/readers/dist/codecs/zstd.js');
  await wasmDecoder();
  const names = ['line.czi', 'lines.czi', 'zstd.czi', 'jxr.czi', 'series.czi'];
  const [line, twoLines, zstd, jxr, big] = names.map((name) => join(folder, name));
  if (!existsSync(big)) writeFile(big, series());
  if (!existsSync(line)) writeFile(line, lineScan());
  if (!existsSync(twoLines)) writeFile(twoLines, lineScan(2));
  if (!existsSync(zstd)) writeFile(zstd, frames());
  if (!existsSync(jxr)) {
    const data = jpegXr(folder);
    if (data)
      writeFile(jxr, [
        {
          dims: [
            ['X', 0, SIDE],
            ['Y', 0, SIDE],
          ],
          compression: 4,
          data,
        },
      ]);
  }
  return { line, twoLines, zstd, jxr, big };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Medians of two kinds of work that take turns. */
async function pair(rounds, ours, theirs) {
  const times = [[], []];
  for (let i = 0; i < rounds; i++) {
    for (const [k, work] of [ours, theirs].entries()) {
      const start = performance.now();
      await work();
      times[k].push(performance.now() - start);
    }
  }
  return times.map(median);
}

/** Prints the rows. `dist` must be built. */
export async function benchCzi(folder, say) {
  const { openAcquisition } = await import('../packages/server/dist/open.js');
  const { Float32Target } = await import('../packages/readers/dist/model/samples/plane-target.js');
  const { BYTE_CODECS, IMAGE_CODECS } = await import('../packages/readers/dist/codecs/index.js');
  const paths = await prepareCzi(folder);
  const plane = async (opened) => {
    const { sizes } = opened.acquisition.info.scenes[0];
    const target = new Float32Target(sizes.Y, sizes.X);
    await opened.acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, target);
  };
  /** Data of the first subblock, in memory. */
  const firstData = (path) => {
    const bytes = readFileSync(path);
    const at = 544 + 32;
    return bytes.subarray(at + 256, at + 256 + Number(bytes.readBigInt64LE(at + 8)));
  };
  const row = async (name, path, other, alone) => {
    if (!existsSync(path)) return say(`| ${name} | – | – | – | – |`);
    const start = performance.now();
    const opened = await openAcquisition(path);
    const open = performance.now() - start;
    const [ours, theirs] = await pair(9, () => plane(opened), alone);
    opened.close();
    say(
      `| ${name} | ${open.toFixed(1)} ms | ${ours.toFixed(1)} ms | ${theirs.toFixed(1)} ms (${other}) | ${(ours / theirs).toFixed(2)} |`,
    );
  };
  say('## CZI, in process');
  say();
  say('| file | open | plane | alone | ratio |');
  say('|---|--:|--:|--:|--:|');
  await row(`raw line scan 30,000×512, runs of ${RUN} lines`, paths.line, 'bare read of the file + set', () => {
    const bytes = readFileSync(paths.line);
    const samples = new Uint16Array(bytes.buffer, bytes.byteOffset + (bytes.byteOffset % 2), LINES * COLUMNS);
    new Float32Array(LINES * COLUMNS).set(samples);
  });
  await row('5 GB in 10,000 subblocks, one plane', paths.big, 'bare read of the plane + set', () => {
    const samples = new Uint16Array(512 * 512);
    const fd = openSync(paths.big, 'r');
    readSync(fd, samples, 0, samples.byteLength, 544 + 32 + 256);
    closeSync(fd);
    new Float32Array(512 * 512).set(samples);
  });
  const size = { expected: SIDE * SIDE * 2, limit: SIDE * SIDE * 2 };
  const zstd = await BYTE_CODECS.zstd();
  const frame = firstData(paths.zstd).subarray(3);
  await row(`Zstd 1, hi-lo, ${SIDE}²`, paths.zstd, 'Zstd alone', () => zstd(frame, size));
  const picture = existsSync(paths.jxr) ? firstData(paths.jxr) : undefined;
  await row(`JPEG XR, lossless, ${SIDE}²`, paths.jxr, 'JPEG XR alone', async () => {
    const decode = await IMAGE_CODECS.jpegxr();
    decode(picture, { maxPixels: SIDE * SIDE, components: 1 });
  });
  if (!picture) say('\nJPEG XR: the encoder (JxrEncApp) is not installed here.');
  say();
}
