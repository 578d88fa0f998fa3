/**
 * Directory entries, which describe a subblock each. Subblocks contain a copy of their own entry. There are two kinds:
 * `DV` lists its dimensions, `DE` has a fixed layout (ZISRAW specification, "DirectoryEntryDE").
 */
import { type AcqError, decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import { int64, textAt } from './segments.js';

/** Letters of the dimensions; entries refer to them by index. */
export const DIMENSIONS = ['X', 'Y', 'Z', 'C', 'T', 'S', 'M', 'H', 'V', 'R', 'I', 'B'] as const;
export type DimensionLetter = (typeof DIMENSIONS)[number];

export interface RawCziDimension {
  /** Index in `DIMENSIONS`. */
  column: number;
  start: number;
  size: number;
  stored: number;
}

export interface RawCziEntry {
  pixelType: number;
  /** Of the subblock in its file. */
  position: number;
  part: number;
  compression: number;
  pyramid: boolean;
  entryBytes: number;
  /** In memory order, the fastest first. */
  dimensions: RawCziDimension[];
}

/** Smallest size of an entry, in bytes. */
export const MIN_ENTRY_BYTES = 32;
const DIMENSION_BYTES = 20;
const DE_BYTES = 128;
/** Far more than there are letters. */
const MAX_DIMENSIONS = 40;

/** `DV` and `DE` as big-endian numbers. */
const DV = 0x4456;
const DE = 0x4445;

/** Returns the size of the entry at `at` in bytes, without checking it. */
export function entryBytesAt(view: DataView, at: number): number {
  return view.getUint16(at) === DE ? DE_BYTES : MIN_ENTRY_BYTES + DIMENSION_BYTES * view.getInt32(at + 28, true);
}

/**
 * Parses the entry at `at`.
 * @throws AcqError `decode_failed`
 */
export function parseEntry(view: DataView, at: number): RawCziEntry {
  if (at + MIN_ENTRY_BYTES > view.byteLength) throw corrupted(at, 'is truncated');
  const kind = view.getUint16(at);
  if (kind === DV) return parseDv(view, at);
  if (kind === DE) return parseDe(view, at);
  throw corrupted(at, `is of an unknown kind (0x${kind.toString(16)})`);
}

function parseDv(view: DataView, at: number): RawCziEntry {
  const count = view.getInt32(at + 28, true);
  const entryBytes = MIN_ENTRY_BYTES + DIMENSION_BYTES * count;
  if (count < 0 || count > MAX_DIMENSIONS || at + entryBytes > view.byteLength) {
    throw corrupted(at, `lists ${grouped(count)} dimensions`);
  }
  const dimensions: RawCziDimension[] = [];
  for (let p = at + MIN_ENTRY_BYTES; p < at + entryBytes; p += DIMENSION_BYTES) {
    const letter = String.fromCharCode(view.getUint8(p));
    const column = DIMENSIONS.indexOf(letter as DimensionLetter);
    const size = view.getInt32(p + 8, true);
    const stored = view.getInt32(p + 16, true) || size;
    if (size < 1 || stored < 1) throw corrupted(at, `has size ${grouped(size)} along ${letter}`);
    if (column < 0 && size > 1) throw corrupted(at, `has an unknown dimension "${letter}"`);
    if (column < 0) continue;
    if (dimensions.some((other) => other.column === column)) throw corrupted(at, `lists ${letter} twice`);
    dimensions.push({ column, start: view.getInt32(p + 4, true), size, stored });
  }
  return {
    pixelType: view.getInt32(at + 2, true),
    position: int64(view, at + 6),
    part: view.getInt32(at + 14, true),
    compression: view.getInt32(at + 18, true),
    pyramid: view.getUint8(at + 22) !== 0,
    entryBytes,
    dimensions,
  };
}

/** Offsets of start and sizes in a `DE` entry. Some dimensions have a start only. */
const DE_FIELDS: Partial<Record<DimensionLetter, { start: number; size?: number; stored?: number }>> = {
  X: { start: 16, size: 20, stored: 6 },
  Y: { start: 24, size: 28, stored: 10 },
  C: { start: 32, size: 36 },
  Z: { start: 40, size: 44 },
  T: { start: 48, size: 52 },
  S: { start: 56 },
  R: { start: 60 },
  I: { start: 64 },
  B: { start: 68 },
  M: { start: 76 },
  H: { start: 108 },
};

function parseDe(view: DataView, at: number): RawCziEntry {
  if (at + DE_BYTES > view.byteLength) throw corrupted(at, 'is truncated');
  const letters = textAt(new Uint8Array(view.buffer, view.byteOffset + at, DE_BYTES), 92, 16).toUpperCase();
  const order = new Set<string>([...letters.replace(/[^XYZCTSMHRIB]/g, ''), ...Object.keys(DE_FIELDS)]);
  const dimensions: RawCziDimension[] = [];
  for (const letter of order) {
    const fields = DE_FIELDS[letter as DimensionLetter];
    if (!fields) continue;
    const size = fields.size === undefined ? 1 : view.getInt32(at + fields.size, true);
    const stored = fields.stored === undefined ? size : view.getInt32(at + fields.stored, true) || size;
    const column = DIMENSIONS.indexOf(letter as DimensionLetter);
    // A size of 0 means that the dimension is not used.
    if (size < 0 || stored < 0) throw corrupted(at, `has size ${grouped(size)} along ${letter}`);
    if (size > 0) dimensions.push({ column, start: view.getInt32(at + fields.start, true), size, stored });
  }
  return {
    pixelType: view.getInt32(at + 2, true),
    position: int64(view, at + 80),
    part: view.getInt32(at + 88, true),
    compression: view.getInt32(at + 72, true),
    pyramid: dimensions.some(({ size, stored }) => stored < size),
    entryBytes: DE_BYTES,
    dimensions,
  };
}

function corrupted(at: number, what: string): AcqError {
  return decodeFailed(`the directory entry at byte ${grouped(at)} ${what}; the file is corrupted`);
}
