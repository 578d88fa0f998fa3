import { decodeFailed } from '../base/errors.js';
import type { EntropyBits, HuffmanTable } from './jpeg-entropy.js';

/** What a scan holds of the coefficients: a range of them, and the bits of each (T.81, annex G). */
export interface ScanBand {
  first: number;
  last: number;
  /** Bits that earlier scans have, 0 in the first one of a band. */
  high: number;
  low: number;
}

/** The state of a scan that its components share or have each. */
export interface ScanState {
  bits: EntropyBits;
  /** Blocks of which the rest of the band is zero. */
  endRun: number;
}

export interface BlockTables {
  dc: HuffmanTable | undefined;
  ac: HuffmanTable | undefined;
}

/** Index in a block by its place in the zigzag. */
export const ZIGZAG = new Uint8Array([
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
]);

/** A block at an offset of the coefficients of its component. */
interface Block {
  coefficients: Int16Array;
  at: number;
}

/** Reads one block of a sequential scan. @returns the DC coefficient, from which the next one differs */
export function readSequential({ bits }: ScanState, { dc, ac }: BlockTables, block: Block, before: number): number {
  const value = before + bits.takeSigned(readSize(dc, bits));
  block.coefficients[block.at] = value;
  const table = required(ac);
  for (let k = 1; k < 64; k++) {
    const symbol = table.read(bits);
    const size = symbol & 15;
    if (size === 0) {
      if (symbol !== 0xf0) break;
      k += 15;
      continue;
    }
    k += symbol >> 4;
    if (k > 63) throw tooMany();
    block.coefficients[block.at + ZIGZAG[k]!] = bits.takeSigned(size);
  }
  return value;
}

/** Reads the DC coefficient of a block of a progressive scan, or one more bit of it. */
export function readProgressiveDc(
  { bits }: ScanState,
  { dc }: BlockTables,
  band: ScanBand,
  block: Block,
  before: number,
): number {
  if (band.high > 0) {
    if (bits.take(1) === 1) block.coefficients[block.at]! |= 1 << band.low;
    return before;
  }
  const value = before + bits.takeSigned(readSize(dc, bits));
  block.coefficients[block.at] = value << band.low;
  return value;
}

/** Reads a band of the other coefficients for the first time. */
export function readProgressiveFirst(state: ScanState, { ac }: BlockTables, band: ScanBand, block: Block): void {
  if (state.endRun > 0) {
    state.endRun--;
    return;
  }
  const { bits } = state;
  const table = required(ac);
  for (let k = band.first; k <= band.last; k++) {
    const symbol = table.read(bits);
    const [run, size] = [symbol >> 4, symbol & 15];
    if (size === 0) {
      if (run < 15) {
        state.endRun = 2 ** run - 1 + bits.take(run);
        return;
      }
      k += 15;
      continue;
    }
    k += run;
    if (k > band.last) throw tooMany();
    block.coefficients[block.at + ZIGZAG[k]!] = bits.takeSigned(size) << band.low;
  }
}

/** Reads one more bit of a band: of the coefficients that are known, and new ones that begin with it. */
export function readProgressiveMore(state: ScanState, { ac }: BlockTables, band: ScanBand, block: Block): void {
  const { bits } = state;
  const one = 1 << band.low;
  let k = band.first;
  if (state.endRun === 0) {
    const table = required(ac);
    while (k <= band.last) {
      const symbol = table.read(bits);
      const run = symbol >> 4;
      let value = 0;
      if ((symbol & 15) !== 0) value = bits.take(1) === 1 ? one : -one;
      else if (run < 15) {
        state.endRun = 2 ** run + bits.take(run);
        break;
      }
      k = refine(bits, band, block, { from: k, zeros: run });
      if (value !== 0 && k <= band.last) block.coefficients[block.at + ZIGZAG[k]!] = value;
      k++;
    }
  }
  if (state.endRun > 0) {
    refine(bits, band, block, { from: k, zeros: 64 });
    state.endRun--;
  }
}

/** Adds a bit to the coefficients that are not zero, until it has passed `zeros` others. @returns the place of the next zero */
function refine(
  bits: EntropyBits,
  band: ScanBand,
  { coefficients, at }: Block,
  { from, zeros }: { from: number; zeros: number },
): number {
  const one = 1 << band.low;
  let k = from;
  for (let left = zeros; k <= band.last; k++) {
    const index = at + ZIGZAG[k]!;
    const value = coefficients[index]!;
    if (value === 0) {
      if (left === 0) return k;
      left--;
    } else if (bits.take(1) === 1 && (value & one) === 0) {
      coefficients[index] = value > 0 ? value + one : value - one;
    }
  }
  return k;
}

function readSize(table: HuffmanTable | undefined, bits: EntropyBits): number {
  const size = required(table).read(bits);
  if (size > 15) throw decodeFailed('JPEG data are corrupted: a coefficient has more than 15 bits');
  return size;
}

function required(table: HuffmanTable | undefined): HuffmanTable {
  if (!table) throw decodeFailed('JPEG data are corrupted: a Huffman table is missing');
  return table;
}

function tooMany() {
  return decodeFailed('JPEG data are corrupted: a block has more than 64 coefficients');
}
