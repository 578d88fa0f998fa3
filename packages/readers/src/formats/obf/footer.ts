/** What follows the data of a stack: units and names of the dimensions, and where its pieces are. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import { positionOf, type TextPlace, viewOf } from './bytes.js';

/** Offsets of the fields, and the version of the stack that has them first. */
const UNITS = { at: 208, end: 1408, version: 2 };
const FLUSH = { at: 1408, end: 1424, version: 3 };
const TAGS = { at: 1424, end: 1432, version: 4 };
const PIECES = { at: 1444, end: 1468, version: 6 };
const UNIT_BYTES = 80;
/** Bytes of the largest fixed part that is read. */
const MAX_FIXED = 1_468;
const MAX_LABEL = 4_096;

export interface AxisUnit {
  /** What the unit is of, if it is that alone. */
  kind: 'length' | 'time' | 'other';
  /** Of the meter or the second. */
  factor: number;
}

export interface RawFooter {
  labels: string[];
  /** One for each dimension; empty before version 2. */
  units: AxisUnit[];
  /** Positions of the entries of a dimension, instead of its length. */
  positions: Map<number, Float64Array>;
  tags: TextPlace;
  /** 0: all. */
  samplesWritten: number;
  /** Piece k starts at byte `logical` of the data, and at `offset` behind the start of the data in the file. */
  pieces: { logical: number; offset: number }[];
  /** End of what was written, in the file; 0 when it is not stated. */
  usedEnd: number;
}

type Budget = { left: number };

/** What a footer needs of the header of its stack. */
interface StackHead {
  version: number;
  sizes: readonly number[];
  dataAt: number;
  dataBytes: number;
}

/** @throws AcqError `decode_failed` when the file ends before the footer, or it makes no sense */
export function readFooter(source: ByteSource, stack: StackHead, budget: Budget): RawFooter | undefined {
  if (stack.version < 1) return undefined;
  const start = stack.dataAt + stack.dataBytes;
  try {
    return parseFooter(source, stack, start, budget);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

function parseFooter(source: ByteSource, stack: StackHead, start: number, budget: Budget): RawFooter {
  const size = viewOf(source.read(start, 4)).getUint32(0, true);
  if (size < 128) throw decodeFailed('the footer of a stack is too short');
  const view = viewOf(source.read(start, Math.min(size, MAX_FIXED)));
  const has = ({ end, version }: { end: number; version: number }) => stack.version >= version && end <= size;
  const rank = stack.sizes.length;
  const tail = new Tail(source, start + size, budget);
  const labels = Array.from({ length: rank }, () => tail.text());
  const positions = new Map<number, Float64Array>();
  for (const [k, count] of stack.sizes.entries()) {
    if (view.getUint32(4 + 4 * k, true) !== 0) positions.set(k, tail.doubles(count));
  }
  for (const [k, count] of stack.sizes.entries()) {
    if (view.getUint32(64 + 4 * k, true) !== 0) for (let i = 0; i < count; i++) tail.text();
  }
  tail.skip(view.getUint32(124, true));
  tail.skip(8 * (has(FLUSH) ? positionOf(view, FLUSH.at) : 0));
  const tags = { at: tail.at, bytes: has(TAGS) ? positionOf(view, TAGS.at) : 0 };
  tail.skip(tags.bytes);
  return {
    labels,
    units: has(UNITS) ? labels.map((_, k) => unitAt(view, UNITS.at + UNIT_BYTES * k)) : [],
    positions,
    tags,
    usedEnd: has(PIECES) ? positionOf(view, PIECES.at) : 0,
    samplesWritten: has(PIECES) ? positionOf(view, PIECES.at + 8) : 0,
    pieces: has(PIECES) ? tail.pieces(positionOf(view, PIECES.at + 16)) : [],
  };
}

/** Nine exponents as fractions, of m, kg, s, A, K, mol, cd, rad and sr, and a factor. */
function unitAt(view: DataView, at: number): AxisUnit {
  const exponents = Array.from({ length: 9 }, (_, i) => {
    const [over, under] = [view.getInt32(at + 8 * i, true), view.getInt32(at + 8 * i + 4, true)];
    return over === 0 ? 0 : over / under;
  });
  const isOnly = (base: number) => exponents.every((exponent, i) => exponent === (i === base ? 1 : 0));
  return { kind: isOnly(0) ? 'length' : isOnly(2) ? 'time' : 'other', factor: view.getFloat64(at + 72, true) };
}

/** Reads the parts of a footer that have no fixed place, one after the other. */
class Tail {
  at: number;
  private readonly source: ByteSource;
  private readonly budget: Budget;

  constructor(source: ByteSource, at: number, budget: Budget) {
    this.source = source;
    this.at = at;
    this.budget = budget;
  }

  skip(bytes: number): void {
    this.at += bytes;
    if (this.at > this.source.size) throw decodeFailed('the footer of a stack is beyond the end of the file');
  }

  /** Returns a text with its length in front. */
  text(): string {
    const bytes = viewOf(this.take(4)).getUint32(0, true);
    const text = decodeText(this.source.read(this.at, Math.min(bytes, MAX_LABEL)));
    this.spend(Math.min(bytes, MAX_LABEL));
    this.skip(bytes);
    return text;
  }

  /** Values of an axis with more than a million entries are not kept. */
  doubles(count: number): Float64Array {
    if (count > LIMITS.coordinates) {
      this.skip(8 * count);
      return new Float64Array();
    }
    const view = viewOf(this.take(8 * count));
    return Float64Array.from({ length: count }, (_, i) => view.getFloat64(8 * i, true));
  }

  pieces(count: number): RawFooter['pieces'] {
    const view = viewOf(this.take(16 * count));
    return Array.from({ length: count }, (_, i) => ({
      logical: positionOf(view, 16 * i),
      offset: positionOf(view, 16 * i + 8),
    }));
  }

  private take(bytes: number): Uint8Array {
    this.spend(bytes);
    const taken = this.source.read(this.at, bytes);
    this.at += bytes;
    return taken;
  }

  private spend(bytes: number): void {
    this.budget.left -= bytes + 16;
    if (this.budget.left < 0) throw decodeFailed('the footers of the stacks overlap; the file is corrupted');
  }
}
