/** Values of OLE Automation, each behind the number of its type. Sizes are those of MS-OAUT. */

import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';

/** `undefined` for empty values and for what only programs of Zeiss understand. */
export type Value = number | boolean | string | Uint8Array | undefined;

/** Types that are read, by their number: VT_EMPTY, VT_NULL, VT_I2, … */
const FIXED: Readonly<Record<number, [bytes: number, read?: (view: DataView, at: number) => Value]>> = {
  0: [0],
  1: [0],
  2: [2, (view, at) => view.getInt16(at, true)],
  3: [4, (view, at) => view.getInt32(at, true)],
  4: [4, (view, at) => view.getFloat32(at, true)],
  5: [8, (view, at) => view.getFloat64(at, true)],
  6: [8],
  7: [8, (view, at) => view.getFloat64(at, true)],
  9: [16],
  10: [4],
  11: [2, (view, at) => view.getInt16(at, true) !== 0],
  13: [16],
  14: [16],
  16: [1, (view, at) => view.getInt8(at)],
  17: [1, (view, at) => view.getUint8(at)],
  18: [2, (view, at) => view.getUint16(at, true)],
  19: [4, (view, at) => view.getUint32(at, true)],
  20: [8, (view, at) => Number(view.getBigInt64(at, true))],
  21: [8, (view, at) => Number(view.getBigUint64(at, true))],
  22: [4, (view, at) => view.getInt32(at, true)],
  23: [4, (view, at) => view.getUint32(at, true)],
  64: [8],
  72: [16],
};
/** VT_BSTR, and VT_STORED_OBJECT: the name of a storage. */
const TEXTS = new Set([8, 69]);
const BLOBS = new Set([63, 65]);
/** VT_STREAM has a length of two bytes. */
const STREAM = 66;
/** VT_DATE: days since 1899-12-30. */
export const DATE = 7;

const utf16 = new TextDecoder('utf-16le');

export interface TypedValue {
  type: number;
  value: Value;
}

/** Reads values that follow each other. */
export class ValueReader {
  /** Byte of the next value. */
  position = 0;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** @throws AcqError `decode_failed` for an unknown type, whose size nobody knows, and at the end of the bytes */
  next(): TypedValue {
    const type = this.view.getUint16(this.take(2, 'type'), true);
    const fixed = FIXED[type];
    if (fixed) {
      const [size, read] = fixed;
      const at = this.take(size, 'value');
      return { type, value: read?.(this.view, at) };
    }
    if (TEXTS.has(type)) return { type, value: utf16.decode(this.block()).replace(/\0[\s\S]*/, '') };
    if (BLOBS.has(type)) return { type, value: this.block() };
    if (type === STREAM) return { type, value: this.bytesOf(this.view.getUint16(this.take(2, 'length'), true)) };
    throw decodeFailed(`the value at byte ${grouped(this.position - 2)} has the unknown type ${type}`);
  }

  /** Returns a value that must be a whole number. @throws AcqError `decode_failed` */
  integer(what: string): number {
    const { value } = this.next();
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw decodeFailed(`${what} is not a whole number`);
  }

  /** Returns the offset of so many bytes, and goes behind them. */
  take(size: number, what: string): number {
    const at = this.position;
    if (at + size > this.bytes.length) {
      throw decodeFailed(
        `the ${what} at byte ${grouped(at)} falls outside the stream (${grouped(this.bytes.length)} bytes)`,
      );
    }
    this.position += size;
    return at;
  }

  private block(): Uint8Array {
    return this.bytesOf(this.view.getUint32(this.take(4, 'length'), true));
  }

  private bytesOf(length: number): Uint8Array {
    const at = this.take(length, 'block');
    return this.bytes.subarray(at, at + length);
  }
}
