import { decodeFailed, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { BLACK_RUNS, MAX_CODE_BITS, type RunTable, WHITE_RUNS } from './fax-codes.js';

/** How rows of a fax are coded (ITU-T T.4 and T.6, as TIFF 6.0 sections 10 and 11 use them). */
export interface FaxOptions {
  columns: number;
  rows: number;
  /**
   * `huffman` and `words`: rows of runs, each from a new byte (TIFF 2) or word of 16 bits (TIFF 32771). `group3`: rows of runs, or of
   * differences from the row above, with marks between them. `group4`: differences without marks.
   */
  scheme: 'huffman' | 'words' | 'group3' | 'group4';
  /** Group 3: a bit after each mark says how the row is coded. */
  twoDimensional?: boolean;
}

/** A mark between rows: 11 zeros or more, and a one. */
const MARK_BITS = 12;

/**
 * Decodes a bilevel image to packed rows, 1 bit for each pixel, most significant bit first: white is 0, black is 1. Returns fewer rows
 * where the data end early.
 * @throws AcqError `decode_failed` for corrupted data, `unsupported_format` for uncompressed parts
 */
export function decodeFax(data: Uint8Array, options: FaxOptions): Uint8Array {
  const { columns, rows, scheme } = options;
  const rowBytes = Math.ceil(columns / 8);
  const packed = new Uint8Array(rowBytes * rows);
  const bits = new FaxBits(data);
  // The first row is compared with a white one.
  let above: Row = { changes: new Int32Array(columns + 6).fill(columns), count: 0 };
  let row: Row = { changes: new Int32Array(columns + 6), count: 0 };
  for (let y = 0; y < rows; y++) {
    const coding = nextRow(bits, options);
    if (coding === 'end') return packed.subarray(0, y * rowBytes);
    row.count = 0;
    try {
      if (coding === 'runs') readRuns(bits, row, columns);
      else readDifferences(bits, row, above, columns);
    } catch (error) {
      if (error instanceof DataEnd) return packed.subarray(0, y * rowBytes);
      if (error instanceof BadCode) {
        throw decodeFailed(`row ${grouped(y + 1)} of the fax is corrupted: ${error.message}`);
      }
      throw error;
    }
    if (scheme === 'huffman') bits.toMultipleOf(8);
    if (scheme === 'words') bits.toMultipleOf(16);
    paint(packed.subarray(y * rowBytes, (y + 1) * rowBytes), row);
    row.changes.fill(columns, row.count, row.count + 4);
    [above, row] = [row, above];
  }
  return packed;
}

/** Where the color changes: to black at even indices, to white at odd ones; then the width, at least twice. */
interface Row {
  changes: Int32Array;
  count: number;
}

class BadCode extends Error {}
class DataEnd extends Error {}

class FaxBits {
  private readonly data: Uint8Array;
  private at = 0;
  private readonly end: number;

  constructor(data: Uint8Array) {
    this.data = data;
    this.end = data.length * 8;
  }

  get isDone(): boolean {
    return this.at >= this.end;
  }

  /** The next bits, up to 13; zeros beyond the end. */
  peek(count: number): number {
    const byte = this.at >> 3;
    const { data } = this;
    const word = ((data[byte] ?? 0) << 16) | ((data[byte + 1] ?? 0) << 8) | (data[byte + 2] ?? 0);
    return (word >> (24 - (this.at & 7) - count)) & ((1 << count) - 1);
  }

  skip(count: number): void {
    this.at += count;
    if (this.at > this.end) throw new DataEnd();
  }

  toMultipleOf(count: 8 | 16): void {
    this.at = Math.ceil(this.at / count) * count;
  }

  /** Reads a mark, if one is next. */
  skipMark(): boolean {
    if (this.peek(MARK_BITS - 1) !== 0) return false;
    let at = this.at + MARK_BITS - 1;
    while (at < this.end && ((this.data[at >> 3]! >> (7 - (at & 7))) & 1) === 0) at++;
    this.at = Math.min(at + 1, this.end);
    return true;
  }
}

function nextRow(bits: FaxBits, { scheme, twoDimensional = false }: FaxOptions): 'runs' | 'differences' | 'end' {
  if (bits.isDone) return 'end';
  // Two marks in a row end a picture of group 4, six one of group 3; no row begins with two.
  if (scheme === 'group4') return bits.peek(MARK_BITS) === 1 ? 'end' : 'differences';
  if (scheme !== 'group3') return 'runs';
  let coding: 'runs' | 'differences' = 'runs';
  for (let marks = 0; bits.skipMark(); marks++) {
    if (marks > 0 || bits.isDone) return 'end';
    if (!twoDimensional) continue;
    coding = bits.peek(1) === 1 ? 'runs' : 'differences';
    bits.skip(1);
  }
  return coding;
}

function readRuns(bits: FaxBits, row: Row, columns: number): void {
  for (let at = 0, black = false; at < columns; black = !black) {
    at += readRun(bits, black ? BLACK_RUNS : WHITE_RUNS);
    push(row, at, columns);
  }
}

function readDifferences(bits: FaxBits, row: Row, above: Row, columns: number): void {
  // Before the first pixel, so that a change above at the first pixel is right of it.
  let at = -1;
  let black = 0;
  for (let next = 0; at < columns; ) {
    // The next change above to the other color, which may be one before the last one used.
    next = Math.max(0, next - 1);
    if ((next & 1) !== black) next++;
    while (above.changes[next]! <= at && above.changes[next]! < columns) next += 2;
    const mode = readMode(bits);
    if (mode === 'pass') {
      at = above.changes[next + 1]!;
    } else if (mode === 'runs') {
      at = Math.max(at, 0);
      for (const color of [black, black ^ 1]) {
        at += readRun(bits, color ? BLACK_RUNS : WHITE_RUNS);
        push(row, at, columns);
      }
    } else {
      const change = above.changes[next]! + mode;
      if (change < Math.max(at, 0)) throw new BadCode('a change of color lies before the last one');
      at = change;
      push(row, at, columns);
      black ^= 1;
    }
  }
}

function push(row: Row, at: number, columns: number): void {
  if (at > columns) throw new BadCode(`it has more than ${grouped(columns)} pixels`);
  if (row.count >= columns + 2) throw new BadCode('it has more changes of color than pixels');
  row.changes[row.count++] = at;
}

/** Adds up the codes of a run: any number of 64 and more, then one below 64. */
function readRun(bits: FaxBits, table: RunTable): number {
  for (let run = 0; ; ) {
    const entry = table[bits.peek(MAX_CODE_BITS)]!;
    if (entry === 0) throw bits.isDone ? new DataEnd() : new BadCode('a code is not that of a run');
    bits.skip(entry & 15);
    run += entry >> 4;
    if (entry >> 4 < 64) return run;
  }
}

/** Modes by the next 7 bits (T.4 table 4). A number says how far the change is from that of the row above. */
function readMode(bits: FaxBits): 'pass' | 'runs' | number {
  const next = bits.peek(7);
  for (const [length, code, mode] of MODES) {
    if (next >> (7 - length) !== code) continue;
    bits.skip(length);
    return mode;
  }
  if (bits.isDone) throw new DataEnd();
  if (next === 1) throw unsupported('contains uncompressed parts of a fax, which are not supported');
  throw new BadCode('a code is not that of a difference');
}

const MODES: [length: number, code: number, mode: 'pass' | 'runs' | number][] = [
  [1, 0b1, 0],
  [3, 0b011, 1],
  [3, 0b010, -1],
  [3, 0b001, 'runs'],
  [4, 0b0001, 'pass'],
  [6, 0b000011, 2],
  [6, 0b000010, -2],
  [7, 0b0000011, 3],
  [7, 0b0000010, -3],
];

function paint(packed: Uint8Array, { changes, count }: Row): void {
  const { length } = packed;
  for (let i = 0; i < count; i += 2) {
    const start = changes[i]!;
    const end = i + 1 < count ? changes[i + 1]! : length * 8;
    if (start >= end) continue;
    const first = start >> 3;
    const last = (end - 1) >> 3;
    const head = 0xff >> (start & 7);
    const tail = (0xff << (7 - ((end - 1) & 7))) & 0xff;
    if (first === last) {
      packed[first]! |= head & tail;
      continue;
    }
    packed[first]! |= head;
    packed.fill(0xff, first + 1, last);
    packed[last]! |= tail;
  }
}
