// Generates the large files that are measured. They live in bench/data (not committed) and are made once.
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { lifLineScan } from './lif.mjs';
import { nd2FramePerLine, nd2LineScan } from './nd2.mjs';
import { oirLineScan } from './oir.mjs';

const LINES = 30_000;
const COLUMNS = 512;
const FRAME = 8192;
const FRAMES = 32;

/** @returns {{name: string, path: string, planes: number, rows: number, columns: number}[]} */
export function prepare(folder) {
  mkdirSync(folder, { recursive: true });
  const files = [
    {
      name: 'kymograph 2×30,000×512 uint16',
      path: join(folder, 'plain.ome.tif'),
      planes: 2,
      rows: LINES,
      columns: COLUMNS,
      make: plain,
    },
    {
      name: 'the same, deflate + predictor',
      path: join(folder, 'deflate.ome.tif'),
      planes: 2,
      rows: LINES,
      columns: COLUMNS,
      make: deflated,
    },
    {
      name: 'OIR line scan 2×30,000×512 uint16',
      path: join(folder, 'line.oir'),
      planes: 2,
      rows: LINES,
      columns: COLUMNS,
      make: (path) => oirLineScan(path, LINES, COLUMNS, band),
    },
    {
      name: 'ND2 line scan 2×30,000×512 uint16, interleaved',
      path: join(folder, 'scan.nd2'),
      planes: 2,
      rows: LINES,
      columns: COLUMNS,
      make: (path) => nd2LineScan(path, LINES, COLUMNS, band),
    },
    {
      name: 'ND2 line scan, a frame for each of 30,000 lines',
      path: join(folder, 'frames.nd2'),
      planes: 2,
      rows: LINES,
      columns: COLUMNS,
      make: (path) => nd2FramePerLine(path, LINES, COLUMNS, band),
    },
    {
      name: 'LIF line scan 2×30,000×512 uint16',
      path: join(folder, 'scan.lif'),
      planes: 2,
      rows: LINES,
      columns: COLUMNS,
      make: (path) => lifLineScan(path, LINES, COLUMNS, band),
    },
    {
      name: `T=0 of a 4 GB stack (${FRAMES}×${FRAME}×${FRAME})`,
      path: join(folder, 'stack.tif'),
      planes: 1,
      rows: FRAME,
      columns: FRAME,
      make: (path) => writeStack(path, { side: FRAME, frames: FRAMES, filled: 1 }),
    },
  ];
  for (const file of files) if (!existsSync(file.path)) file.make(file.path);
  return files.map(({ make: _, ...file }) => file);
}

/** One plane of 983 MB as float32. */
export function prepareLarge(folder) {
  const path = join(folder, 'large.ome.tif');
  if (!existsSync(path))
    writePages(path, { rows: LINES, columns: FRAME, channels: 1, compression: 8, predictor: 2 }, packed);
  return [{ name: 'one plane of 30,000×8,192, deflate + predictor', path }];
}

/** Two planes of 410 MB as float32 each, uncompressed. @returns its path */
export function prepareLongScan(folder) {
  const path = join(folder, 'long.ome.tif');
  if (!existsSync(path)) {
    writePages(path, { rows: 200_000, columns: COLUMNS, channels: 2, compression: 1, predictor: 1 }, band);
  }
  return path;
}

/** A 12-bit signal with noise: streaks that move, so that deflate meets what a line scan looks like. */
function line(y, columns, channel) {
  const out = new Uint16Array(columns);
  let seed = (y * 2654435761 + channel * 40503) >>> 0;
  for (let x = 0; x < columns; x++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    out[x] = 400 + ((x * 7 + y * 3) % 211) * 12 + (seed >>> 26);
  }
  return out;
}

function omeText(rows, columns, channels, frames) {
  const list = Array.from({ length: channels }, (_, i) => `<Channel ID="Channel:0:${i}" SamplesPerPixel="1"/>`).join(
    '',
  );
  return `<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint16" SizeX="${columns}" SizeY="${rows}" SizeC="${channels}" SizeZ="1" SizeT="${frames}" PhysicalSizeX="0.25">${list}<TiffData/></Pixels></Image></OME>\0`;
}

const ROWS_PER_STRIP = 64;

const TWO_CHANNELS = { rows: LINES, columns: COLUMNS, channels: 2 };

function plain(path) {
  writePages(path, { ...TWO_CHANNELS, compression: 1, predictor: 1 }, band);
}

function deflated(path) {
  writePages(path, { ...TWO_CHANNELS, compression: 8, predictor: 2 }, packed);
}

function packed(channel, row, rows, columns) {
  const bytes = band(channel, row, rows, columns);
  const samples = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  for (let r = 0; r < rows; r++) {
    for (let x = columns - 1; x > 0; x--) samples[r * columns + x] -= samples[r * columns + x - 1];
  }
  return deflateSync(bytes, { level: 6 });
}

/** Samples of some lines, as bytes. */
export function band(channel, row, rows, columns = COLUMNS) {
  const bytes = Buffer.alloc(rows * columns * 2);
  const samples = new Uint16Array(bytes.buffer, bytes.byteOffset, rows * columns);
  for (let r = 0; r < rows; r++) samples.set(line(row + r, columns, channel), r * columns);
  return bytes;
}

/** A page of strips for each channel of each frame: header, text, strips, then the IFDs with their strip tables. */
export function writePages(path, { rows, columns, channels, frames = 1, compression, predictor }, encode) {
  const fd = openSync(path, 'w');
  const text = Buffer.from(omeText(rows, columns, channels, frames));
  let at = 8 + text.length + (text.length & 1);
  writeSync(fd, text, 0, text.length, 8);
  const pages = [];
  for (let page = 0; page < channels * frames; page++) {
    const offsets = [];
    const counts = [];
    for (let row = 0; row < rows; row += ROWS_PER_STRIP) {
      const bytes = encode(page, row, Math.min(ROWS_PER_STRIP, rows - row), columns);
      writeSync(fd, bytes, 0, bytes.length, at);
      offsets.push(at);
      counts.push(bytes.length);
      at += bytes.length;
    }
    pages.push({ offsets, counts });
  }
  at += at & 1;
  const ifds = [];
  pages.forEach((page, i) => {
    const table = Buffer.alloc(page.offsets.length * 8);
    for (const [k, offset] of page.offsets.entries()) table.writeUInt32LE(offset, k * 4);
    for (const [k, count] of page.counts.entries()) table.writeUInt32LE(count, (page.offsets.length + k) * 4);
    writeSync(fd, table, 0, table.length, at);
    const entries = [
      [256, 4, 1, columns],
      [257, 4, 1, rows],
      [258, 3, 1, 16],
      [259, 3, 1, compression],
      [262, 3, 1, 1],
      ...(i === 0 ? [[270, 2, text.length, 8]] : []),
      [273, 4, page.offsets.length, at],
      [277, 3, 1, 1],
      [278, 4, 1, ROWS_PER_STRIP],
      [279, 4, page.offsets.length, at + page.offsets.length * 4],
      [317, 3, 1, predictor],
    ];
    ifds.push({ entries, at: at + table.length });
    at += table.length + 2 + entries.length * 12 + 4;
  });
  for (const [i, ifd] of ifds.entries()) writeIfd(fd, ifd, ifds[i + 1]?.at ?? 0);
  const head = Buffer.from('49492a0000000000', 'hex');
  head.writeUInt32LE(ifds[0].at, 4);
  writeSync(fd, head, 0, 8, 0);
  closeSync(fd);
}

function writeIfd(fd, ifd, next) {
  const bytes = Buffer.alloc(2 + ifd.entries.length * 12 + 4);
  bytes.writeUInt16LE(ifd.entries.length, 0);
  ifd.entries.forEach(([code, type, count, value], i) => {
    bytes.writeUInt16LE(code, 2 + i * 12);
    bytes.writeUInt16LE(type, 4 + i * 12);
    bytes.writeUInt32LE(count, 6 + i * 12);
    bytes.writeUInt32LE(value, 10 + i * 12);
  });
  bytes.writeUInt32LE(next, 2 + ifd.entries.length * 12);
  writeSync(fd, bytes, 0, bytes.length, ifd.at);
}

/** 4 GB of 1,024² frames, the first 128 of them with samples. @returns its path */
export function prepareFrames(folder) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'frames.tif');
  if (!existsSync(path)) writeStack(path, { side: 1024, frames: 2048, filled: 128 });
  return path;
}

/** 128 frames of 1,024², deflated. @returns its path */
export function prepareDeflatedFrames(folder) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'frames-deflate.ome.tif');
  const side = 1024;
  const shape = { rows: side, columns: side, channels: 1, frames: 128, compression: 8, predictor: 2 };
  if (!existsSync(path)) writePages(path, shape, (t, row, ...size) => packed(0, t * side + row, ...size));
  return path;
}

/** A BigTIFF ImageJ stack. Only the first frames hold samples; the rest is a hole in the file. */
function writeStack(path, { side, frames, filled }) {
  const fd = openSync(path, 'w');
  const text = Buffer.from(`ImageJ=1.54f\nimages=${frames}\nframes=${frames}\nunit=um\nfinterval=0.5\n\0`);
  const planeBytes = side * side * 2;
  const ifdBytes = 8 + 9 * 20 + 8;
  const dataStart = 65_536 * Math.ceil((1024 + frames * ifdBytes) / 65_536);
  writeSync(fd, text, 0, text.length, 16);
  for (let row = 0; row < filled * side; row += 512) {
    const bytes = Buffer.alloc(512 * side * 2);
    const samples = new Uint16Array(bytes.buffer, bytes.byteOffset, 512 * side);
    for (let r = 0; r < 512; r++) samples.set(line(row + r, side, 0), r * side);
    writeSync(fd, bytes, 0, bytes.length, dataStart + row * side * 2);
  }
  for (let i = 0; i < frames; i++) {
    const at = 1024 + i * ifdBytes;
    const ifd = Buffer.alloc(ifdBytes);
    ifd.writeBigUInt64LE(9n, 0);
    const entries = [
      [256, 4, 1, side],
      [257, 4, 1, side],
      [258, 3, 1, 16],
      [259, 3, 1, 1],
      [262, 3, 1, 1],
      [270, 2, text.length, 16],
      [273, 16, 1, dataStart + i * planeBytes],
      [278, 4, 1, side],
      [279, 16, 1, planeBytes],
    ];
    entries.forEach(([code, type, count, value], k) => {
      const p = 8 + k * 20;
      ifd.writeUInt16LE(code, p);
      ifd.writeUInt16LE(type, p + 2);
      ifd.writeBigUInt64LE(BigInt(count), p + 4);
      ifd.writeBigUInt64LE(BigInt(value), p + 12);
    });
    ifd.writeBigUInt64LE(i + 1 < frames ? BigInt(at + ifdBytes) : 0n, ifdBytes - 8);
    writeSync(fd, ifd, 0, ifdBytes, at);
  }
  ftruncateSync(fd, dataStart + frames * planeBytes);
  const head = Buffer.alloc(16);
  head.write('II', 0);
  head.writeUInt16LE(43, 2);
  head.writeUInt16LE(8, 4);
  head.writeBigUInt64LE(1024n, 8);
  writeSync(fd, head, 0, 16, 0);
  closeSync(fd);
}
