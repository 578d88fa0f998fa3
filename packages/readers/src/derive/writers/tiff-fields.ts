/** Image file directories (IFDs) of TIFF and BigTIFF, little-endian. */
import { concat, toUtf8 } from '../../base/bytes.js';

const ASCII = 2;
export const SHORT = 3;
export const LONG = 4;
export const LONG8 = 16;
const BYTE = 1;
const RATIONAL = 5;
const FIELD_BYTES: Record<number, number> = {
  ...{ [BYTE]: 1, [ASCII]: 1, [SHORT]: 2, [LONG]: 4, [RATIONAL]: 8, [LONG8]: 8 },
};

/** An entry of an IFD, with its values as bytes. */
export interface TiffField {
  tag: number;
  type: number;
  bytes: Uint8Array;
}

export function numbers(tag: number, type: number, values: readonly number[]): TiffField {
  if (type === LONG8) return { tag, type, bytes: toBytes(BigUint64Array.from(values, BigInt)) };
  if (type === SHORT) return { tag, type, bytes: toBytes(Uint16Array.from(values)) };
  return { tag, type, bytes: toBytes(Uint32Array.from(values)) };
}

export function text(tag: number, value: string): TiffField {
  return { tag, type: ASCII, bytes: toUtf8(`${value}\0`) };
}

export function bytes(tag: number, value: Uint8Array): TiffField {
  return { tag, type: BYTE, bytes: value };
}

/** A positive number as numerator and denominator. */
export function rational(tag: number, value: number): TiffField {
  return { tag, type: RATIONAL, bytes: toBytes(Uint32Array.from(toFraction(value))) };
}

const MAX_LONG = 2 ** 32 - 1;

/**
 * Returns the fraction of two 32-bit numbers that is nearest to a value, by its continued fraction: 250 / 71 for 1 / 0.284, so
 * that the step is the same when it is read. A value beyond 32 bits becomes the highest one.
 */
function toFraction(value: number): [number, number] {
  if (value > MAX_LONG) return [MAX_LONG, 1];
  let [before, last] = [
    [0, 1],
    [1, 0],
  ] as [[number, number], [number, number]];
  for (let rest = value; Number.isFinite(rest); rest = 1 / (rest - Math.floor(rest))) {
    const whole = Math.floor(rest);
    const next: [number, number] = [whole * last[0] + before[0], whole * last[1] + before[1]];
    if (Math.max(...next) > MAX_LONG) break;
    [before, last] = [last, next];
    if (next[0] / next[1] === value) break;
  }
  return [last[0] || 1, last[0] === 0 ? MAX_LONG : last[1] || 1];
}

export interface IfdPlace {
  isBig: boolean;
  /** Where the IFD is written; even. */
  start: number;
  /** Where the next one is; 0 after the last one. `after`: directly behind this one. */
  next: number | 'after';
}

/** Returns an IFD followed by the values that do not fit into it. Its length is even. */
export function encodeIfd(fields: readonly TiffField[], { isBig, start, next }: IfdPlace): Uint8Array {
  const [countBytes, entryBytes, inline] = isBig ? [8, 20, 8] : [2, 12, 4];
  const table = new Uint8Array(countBytes + fields.length * entryBytes + inline);
  const view = new DataView(table.buffer);
  const outside: Uint8Array[] = [];
  let end = start + table.length;
  if (isBig) view.setBigUint64(0, BigInt(fields.length), true);
  else view.setUint16(0, fields.length, true);
  const sorted = [...fields].sort((a, b) => a.tag - b.tag);
  for (const [i, { tag, type, bytes }] of sorted.entries()) {
    const at = countBytes + i * entryBytes;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    const count = bytes.length / FIELD_BYTES[type]!;
    if (isBig) view.setBigUint64(at + 4, BigInt(count), true);
    else view.setUint32(at + 4, count, true);
    const valueAt = at + entryBytes - inline;
    if (bytes.length <= inline) {
      table.set(bytes, valueAt);
      continue;
    }
    table.set(pointer(end, isBig), valueAt);
    const padded = padToEven(bytes);
    outside.push(padded);
    end += padded.length;
  }
  // Entries of BigTIFF need not be aligned, but their values should be: all parts have even lengths.
  table.set(pointer(next === 'after' ? end : next, isBig), table.length - inline);
  return concat([table, ...outside]);
}

/** Returns an offset in a file. */
export function pointer(offset: number, isBig: boolean): Uint8Array {
  return toBytes(isBig ? BigUint64Array.of(BigInt(offset)) : Uint32Array.of(offset));
}

/** Typed arrays are little-endian on every machine that this program runs on. */
function toBytes(values: Uint16Array | Uint32Array | BigUint64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function padToEven(bytes: Uint8Array): Uint8Array {
  return bytes.length % 2 === 0 ? bytes : concat([bytes, new Uint8Array(1)]);
}
