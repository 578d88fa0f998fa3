/** Sample types and fill values. */

import { unsupported } from '../../base/errors.js';
import type { Notes } from '../../base/notes.js';
import { float16ToFloat32 } from '../../model/samples/narrow-floats.js';
import type { SampleType } from '../../model/samples/types.js';
import { clip } from './node.js';

export interface DataType {
  sampleType: SampleType;
  bytes: number;
  littleEndian: boolean;
}

const TYPES: Readonly<Record<string, [SampleType, number]>> = {
  b1: ['uint8', 1],
  u1: ['uint8', 1],
  u2: ['uint16', 2],
  u4: ['uint32', 4],
  u8: ['uint64', 8],
  i1: ['int8', 1],
  i2: ['int16', 2],
  i4: ['int32', 4],
  i8: ['int64', 8],
  f2: ['float16', 2],
  f4: ['float32', 4],
  f8: ['float64', 8],
};

/** Parses `<u2`, `|b1`, `>f4` of Zarr 2. Booleans are served as 0 and 1. @throws AcqError `unsupported_format` */
export function dataType2(value: unknown): DataType {
  const [, order, code] = (typeof value === 'string' && /^([<>|=]?)([a-z]\d+)$/.exec(value)) || [];
  const type = code === undefined ? undefined : findType(code);
  if (!type) throw unsupported(`samples of type ${clip(value)} are not supported`);
  return { sampleType: type[0], bytes: type[1], littleEndian: order !== '>' };
}

/** Parses `uint16`, `bool`, `float32` of Zarr 3. @throws AcqError `unsupported_format` */
export function dataType3(value: unknown): Omit<DataType, 'littleEndian'> {
  const type =
    value === 'bool'
      ? TYPES['b1']
      : Object.entries(TYPES).find(([code, [name]]) => code !== 'b1' && name === value)?.[1];
  if (!type) throw unsupported(`samples of type ${clip(value)} are not supported`);
  return { sampleType: type[0], bytes: type[1] };
}

function findType(code: string): [SampleType, number] | undefined {
  return Object.hasOwn(TYPES, code) ? TYPES[code] : undefined;
}

const WORDS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

const RANGES: Readonly<Partial<Record<SampleType, [bigint, bigint]>>> = {
  uint8: [0n, 0xffn],
  int8: [-0x80n, 0x7fn],
  uint16: [0n, 0xffffn],
  int16: [-0x8000n, 0x7fffn],
  uint32: [0n, 0xffffffffn],
  int32: [-0x80000000n, 0x7fffffffn],
  uint64: [0n, 2n ** 64n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/**
 * Parses the value of samples that are not stored: a number, `null` (0), a boolean, `"NaN"` and similar words, the bits of a
 * float as `"0x7fc00000"`, or, against the standard, a number as text. Anything else is 0, with a note.
 */
export function parseFillValue(value: unknown, type: SampleType, notes: Notes): number | bigint {
  const range = RANGES[type];
  const zero = type === 'int64' || type === 'uint64' ? 0n : 0;
  if (value === null || value === undefined || value === '') return zero;
  const number = toNumber(value, type);
  const usable = number !== undefined && (!range || (Number.isInteger(number) && isWithin(number, range)));
  if (!usable) {
    notes.add(`The fill value ${clip(value)} is not valid for ${type} samples. Samples that are not stored are 0.`);
    return zero;
  }
  return typeof zero === 'bigint' ? clamp(BigInt(number), range!) : number;
}

/** The range check of doubles: they cannot distinguish the largest 64-bit integers from the power of two above. */
function isWithin(number: number, [low, high]: [bigint, bigint]): boolean {
  return number >= Number(low) && number <= Number(high);
}

function clamp(value: bigint, [low, high]: [bigint, bigint]): bigint {
  return value < low ? low : value > high ? high : value;
}

function toNumber(value: unknown, type: SampleType): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return undefined;
  if (Object.hasOwn(WORDS, value)) return WORDS[value];
  if (/^0x[0-9a-f]{4,16}$/i.test(value) && type.startsWith('float')) return fromBits(BigInt(value), type);
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}

function fromBits(bits: bigint, type: SampleType): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt.asUintN(64, bits));
  if (type === 'float64') return view.getFloat64(0);
  if (type === 'float32') return view.getFloat32(4);
  return float16ToFloat32(Uint16Array.of(view.getUint16(6)))[0] as number;
}
