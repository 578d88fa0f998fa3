import { readU64 } from './header.js';
import { FIELD, fieldSize } from './tags.js';

/** The location of values: in `view`, starting at `at`. */
export interface FieldBytes {
  view: DataView;
  at: number;
}

/** Decodes the numbers of a field: RATIONALs as quotients, 64-bit integers as the nearest double. */
export function decodeNumbers(bytes: FieldBytes, type: number, count: number, littleEndian: boolean): number[] {
  const read = READERS[type];
  if (!read) return [];
  const size = fieldSize(type);
  const values: number[] = new Array(count);
  for (let i = 0; i < count; i++) values[i] = read(bytes.view, bytes.at + i * size, littleEndian);
  return values;
}

/** Decodes one number of a field; returns `undefined` for types that are not numeric. */
export function decodeNumber(bytes: FieldBytes, type: number, littleEndian: boolean): number | undefined {
  return READERS[type]?.(bytes.view, bytes.at, littleEndian);
}

/** Decodes file offsets or byte counts of any unsigned type, without an array of boxed numbers. */
export function decodeOffsets(bytes: Uint8Array, type: number, littleEndian: boolean): Float64Array {
  const size = fieldSize(type);
  const values = new Float64Array(size === 0 ? 0 : Math.floor(bytes.length / size));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const read = READERS[type];
  if (read) for (let i = 0; i < values.length; i++) values[i] = read(view, i * size, littleEndian);
  return values;
}

type Read = (view: DataView, at: number, littleEndian: boolean) => number;

const READERS: Record<number, Read> = {
  [FIELD.byte]: (view, at) => view.getUint8(at),
  [FIELD.undefined]: (view, at) => view.getUint8(at),
  [FIELD.sbyte]: (view, at) => view.getInt8(at),
  [FIELD.short]: (view, at, le) => view.getUint16(at, le),
  [FIELD.sshort]: (view, at, le) => view.getInt16(at, le),
  [FIELD.long]: (view, at, le) => view.getUint32(at, le),
  [FIELD.ifd]: (view, at, le) => view.getUint32(at, le),
  [FIELD.slong]: (view, at, le) => view.getInt32(at, le),
  [FIELD.rational]: (view, at, le) => view.getUint32(at, le) / view.getUint32(at + 4, le),
  [FIELD.srational]: (view, at, le) => view.getInt32(at, le) / view.getInt32(at + 4, le),
  [FIELD.float]: (view, at, le) => view.getFloat32(at, le),
  [FIELD.double]: (view, at, le) => view.getFloat64(at, le),
  [FIELD.long8]: readU64,
  [FIELD.ifd8]: readU64,
  [FIELD.slong8]: (view, at, le) => Number(view.getBigInt64(at, le)),
};
