/** The files that a server opens during a check, and what is in them. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { writeOif } from './write-oif.js';
import { omeXml, writeTiff } from './write-tiff.js';

const ROWS = 7;
const COLUMNS = 5;

/** Two channels in micrometers. Neither rows and columns nor the bytes of a sample can be swapped unnoticed. */
export const FRAME = {
  name: 'frame.ome.tif',
  rows: ROWS,
  columns: COLUMNS,
  channelNames: ['Calcium', 'Vessel'],
  pixel: { width: 0.25, height: 0.5 },
  channels: [1, 2].map((c) => grid(ROWS, COLUMNS, 10_000 * c)),
};

/** One channel at 2 time points and 3 sections, with measured times and no other calibration. */
export const STACK = {
  name: 'stack.ome.tif',
  rows: 4,
  columns: 6,
  times: 2,
  sections: 3,
  /** When each time point was recorded. */
  seconds: [0.5, 8] as const,
  plane: (t: number, z: number) => grid(4, 6, 1000 * (1 + 3 * t + z)),
};

/** Float samples with fractions, negative and very large values. */
export const FLOATS = {
  name: 'floats.ome.tif',
  rows: 2,
  columns: 3,
  samples: Float32Array.of(0, -1.5, 0.1, 16_777_216, -3.4e38, 1e-30),
};

/** A line scan of two channels with its overview image. */
export const SCAN = {
  name: 'scan.oif',
  extension: '.oif',
  lines: 6,
  pixels: 4,
  secondsPerLine: 0.002,
  micrometersPerPixel: 0.25,
  channels: [1, 2].map((c) => grid(6, 4, 100 * c)),
  reference: { rows: 4, columns: 4, samples: grid(4, 4, 500) },
  path: { x: [0, 2, 3], y: [3, 1, 0] },
};

const NAMES = {
  frame: FRAME.name,
  stack: STACK.name,
  floats: FLOATS.name,
  scan: SCAN.name,
  truncated: 'truncated.ome.tif',
  text: 'notes.txt',
  missing: 'missing.ome.tif',
} as const;

/** Paths of the files as the server sees them. */
export type KitFiles = Record<keyof typeof NAMES | 'folder', string>;

/**
 * Writes the files into a new folder inside `parent`.
 * @param serverParent path of `parent` on the machine of the server, when it has another one there
 */
export function writeKitFiles(parent: string, serverParent?: string): { files: KitFiles; remove(): void } {
  const folder = mkdtempSync(join(realpathSync(parent), 'acqstore-conformance-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeAll(folder);
  } catch (error) {
    remove();
    throw error;
  }
  const at = serverParent === undefined ? folder : joinOnServer(serverParent, folder.split(/[\\/]/).at(-1)!);
  const paths = Object.entries(NAMES).map(([key, name]) => [key, joinOnServer(at, name)]);
  return { files: { folder: at, ...Object.fromEntries(paths) } as KitFiles, remove };
}

function writeAll(folder: string): void {
  const path = (key: keyof typeof NAMES) => join(folder, NAMES[key]);
  const { rows, columns } = FRAME;
  const frame = { rows, columns, type: 'uint16', channels: FRAME.channelNames, pixel: FRAME.pixel } as const;
  writeTiff(path('frame'), { rows, columns, pages: FRAME.channels, description: omeXml(frame) });
  const stack = { ...STACK, type: 'uint16', channels: ['CH1'] } as const;
  const pages = Array.from({ length: STACK.times * STACK.sections }, (_, i) =>
    STACK.plane(Math.floor(i / STACK.sections), i % STACK.sections),
  );
  writeTiff(path('stack'), { rows: STACK.rows, columns: STACK.columns, pages, description: omeXml(stack) });
  const floats = { ...FLOATS, type: 'float', channels: ['CH1'] } as const;
  writeTiff(path('floats'), { ...FLOATS, pages: [FLOATS.samples], description: omeXml(floats) });
  writeOif(path('scan'), SCAN);
  writeFileSync(path('text'), 'This is not an image.\n');
  // The samples come first in these files, and the directory behind them.
  writeFileSync(path('truncated'), readFileSync(path('frame')).subarray(0, 4 * rows * columns));
}

/** The machine of the server may have other separators than this one. */
function joinOnServer(folder: string, name: string): string {
  return folder.includes('\\') ? `${folder.replace(/\\$/, '')}\\${name}` : posix.join(folder, name);
}

function grid(rows: number, columns: number, base: number): Uint16Array {
  return Uint16Array.from({ length: rows * columns }, (_, i) => base + 100 * Math.floor(i / columns) + (i % columns));
}
