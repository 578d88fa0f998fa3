// Prairie View: a line scan of many TIFFs beside a bare read of the same files, and a long time series of which one TIFF is
// there (a link to it stands for every other).
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LINES = 30_000;
const COLUMNS = 512;
const ROWS_PER_FILE = 500;
const ROWS_PER_STRIP = 8;
const LINE_PERIOD = 0.002;
const FRAMES = 10_000;
const ROUNDS = 7;

/** Makes the files once. */
export function prepareBruker(data) {
  const lines = join(data, 'prairie-lines', 'line.xml');
  const series = join(data, 'prairie-series', 'long.xml');
  if (!existsSync(lines)) lineScan(join(data, 'prairie-lines'));
  if (!existsSync(series)) timeSeries(join(data, 'prairie-series'));
  return { lines, series };
}

/** Prints the section. */
export async function benchBruker(data, say) {
  const { openAcquisition } = await import('../packages/server/dist/open.js');
  const { Float32Target } = await import('../packages/readers/dist/model/samples/plane-target.js');
  const { lines, series } = prepareBruker(data);
  const plane = async (opened, t) => {
    const { Y, X } = opened.acquisition.info.scenes[0].sizes;
    await opened.acquisition.readPlane({ scene: 0, channel: 0, t, z: 0 }, new Float32Target(Y, X));
  };
  say('## Prairie View, in process');
  say();
  say('| recording | open | plane | bare read of the files + set | ratio |');
  say('|---|--:|--:|--:|--:|');
  /** @type {[name: string, path: string, bare: () => void][]} */
  const rows = [
    [`line scan 30,000×512, 60 TIFFs of ${ROWS_PER_FILE} lines a channel`, lines, () => bareLines(data)],
    ['10,000 frames of 64×64', series, () => bareFrame(data)],
  ];
  for (const [name, path, bare] of rows) {
    const times = { open: [], plane: [], bare: [] };
    for (let i = 0; i < ROUNDS; i++) {
      const opened = await timed(times.open, () => openAcquisition(path));
      await timed(times.plane, () => plane(opened, i));
      await timed(times.bare, bare);
      opened.close();
    }
    const [open, read, alone] = [times.open, times.plane, times.bare].map(median);
    say(
      `| ${name} | ${open.toFixed(1)} ms | ${read.toFixed(1)} ms | ${alone.toFixed(1)} ms | ${(read / alone).toFixed(2)} |`,
    );
  }
  say();
}

async function timed(times, work) {
  const start = performance.now();
  const result = await work();
  times.push(performance.now() - start);
  return result;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const planeName = (stem, channel, index) => `${stem}_Cycle00001_Ch${channel}_${String(index).padStart(6, '0')}.ome.tif`;

function bareLines(data) {
  const out = new Float32Array(LINES * COLUMNS);
  for (let row = 0; row < LINES; row += ROWS_PER_FILE) {
    const bytes = readFileSync(join(data, 'prairie-lines', planeName('line', 1, row / ROWS_PER_FILE + 1)));
    const count = ROWS_PER_FILE * COLUMNS;
    const samples = bytes.subarray(bytes.length - 2 * count);
    out.set(new Uint16Array(samples.buffer, samples.byteOffset, count), row * COLUMNS);
  }
}

function bareFrame(data) {
  const bytes = readFileSync(join(data, 'prairie-series', planeName('long', 1, 1)));
  new Float32Array(64 * 64).set(new Uint16Array(bytes.buffer, bytes.byteOffset + bytes.length - 8192, 4096));
}

function band(rows, columns, from) {
  const bytes = Buffer.alloc(rows * columns * 2);
  const samples = new Uint16Array(bytes.buffer, bytes.byteOffset, rows * columns);
  for (let i = 0; i < samples.length; i++) samples[i] = (from * 3 + i * 7) % 4096;
  return bytes;
}

function timeSeries(folder) {
  mkdirSync(folder, { recursive: true });
  const frames = [];
  for (let index = 1; index <= FRAMES; index++) {
    const name = planeName('long', 1, index);
    if (index === 1) writeFileSync(join(folder, name), tiff(band(64, 64, 0), 64, 64));
    else symlinkSync(planeName('long', 1, 1), join(folder, name));
    frames.push(
      `<Frame relativeTime="${index / 30}" absoluteTime="${index / 30}"><File channel="1" channelName="Ch1" filename="${name}"/></Frame>`,
    );
  }
  writeXml(join(folder, 'long.xml'), 'TSeries Timed Element', '', frames);
}

function lineScan(folder) {
  mkdirSync(folder, { recursive: true });
  const frames = [];
  for (let row = 0; row < LINES; row += ROWS_PER_FILE) {
    const index = frames.length + 1;
    const files = [0, 1].map((channel) => {
      const name = planeName('line', channel + 1, index);
      writeFileSync(join(folder, name), tiff(band(ROWS_PER_FILE, COLUMNS, row + channel), ROWS_PER_FILE, COLUMNS));
      return `<File channel="${channel + 1}" channelName="Ch${channel + 1}" filename="${name}"/>`;
    });
    frames.push(
      `<Frame relativeTime="${row * LINE_PERIOD}" absoluteTime="${row * LINE_PERIOD}">${files.join('')}</Frame>`,
    );
  }
  const state =
    `<PVStateShard><PVStateValue key="linesPerFrame" value="${ROWS_PER_FILE}"/><PVStateValue key="pixelsPerLine" value="${COLUMNS}"/>` +
    `<PVStateValue key="scanLinePeriod" value="${LINE_PERIOD}"/></PVStateShard>`;
  writeXml(join(folder, 'line.xml'), 'Linescan', state, frames);
}

function writeXml(path, type, state, frames) {
  const scan = `<Sequence type="${type}" cycle="1" time="16:03:16">${state}${frames.join('')}</Sequence>`;
  writeFileSync(
    path,
    `<?xml version="1.0"?><PVScan version="5.6" date="1/2/2024 4:03:16 PM" notes="">${scan}</PVScan>`,
  );
}

/** One page of contiguous strips. */
function tiff(bytes, rows, columns) {
  const strips = Math.ceil(rows / ROWS_PER_STRIP);
  const stripBytes = ROWS_PER_STRIP * columns * 2;
  const entries = [
    [256, columns],
    [257, rows],
    [258, 16],
    [259, 1],
    [262, 1],
    [273, strips],
    [277, 1],
    [278, ROWS_PER_STRIP],
    [279, strips],
  ];
  const tables = 8 + 2 + entries.length * 12 + 4;
  const data = tables + 8 * strips;
  const head = Buffer.alloc(data);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(entries.length, 8);
  entries.forEach(([tag, value], i) => {
    const at = 10 + i * 12;
    const isTable = tag === 273 || tag === 279;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(4, at + 2);
    head.writeUInt32LE(isTable ? strips : 1, at + 4);
    head.writeUInt32LE(isTable ? tables + (tag === 279 ? 4 * strips : 0) : value, at + 8);
  });
  for (let i = 0; i < strips; i++) {
    head.writeUInt32LE(data + i * stripBytes, tables + 4 * i);
    head.writeUInt32LE(Math.min(stripBytes, bytes.length - i * stripBytes), tables + 4 * (strips + i));
  }
  return Buffer.concat([head, bytes]);
}
