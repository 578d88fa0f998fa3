/** Datatype and dataspace messages (specification IV.A.2.b and IV.A.2.d). */

import { latin1 } from '../base/bytes.js';
import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import type { SampleType } from '../model/samples/types.js';
import type { Container } from './container.js';
import { Cursor } from './cursor.js';

export interface Datatype {
  kind: 'integer' | 'float' | 'string' | 'variable-string' | 'reference' | 'other';
  /** Name of the class for messages: 'compound', `time`. */
  label: string;
  /** Bytes of one element. */
  size: number;
  littleEndian: boolean;
  /** Set for numbers that a plane can contain. */
  sampleType: SampleType | undefined;
}

const CLASSES = [
  'integer',
  'float',
  'time',
  'string',
  'bit field',
  'opaque',
  'compound',
  'reference',
  'enumeration',
  'variable-length',
  'array',
];

export function parseDatatype(file: Container, body: Uint8Array): Datatype {
  return parseAt(new Cursor(body, file, 'a datatype'), true);
}

function parseAt(cursor: Cursor, enumerated: boolean): Datatype {
  const classAndVersion = cursor.u8();
  const bits = cursor.uint(3);
  const size = cursor.u32();
  const label = CLASSES[classAndVersion & 15] ?? `class ${classAndVersion & 15}`;
  const littleEndian = (bits & 1) === 0;
  const other: Datatype = { kind: 'other', label, size, littleEndian, sampleType: undefined };
  if (label === 'integer') return { ...other, kind: 'integer', sampleType: integerType(cursor, size, bits) };
  if (label === 'float') return { ...other, kind: 'float', sampleType: floatType(cursor, size, bits) };
  if (label === 'string') return { ...other, kind: 'string' };
  if (label === 'reference') return { ...other, kind: 'reference' };
  if (label === 'variable-length' && (bits & 15) === 1) return { ...other, kind: 'variable-string' };
  if (label === 'enumeration' && enumerated) return enumeration(cursor, bits, size);
  return other;
}

/** Values are stored as the base type. The names FALSE and TRUE mean a boolean, which h5py stores as a signed byte. */
function enumeration(cursor: Cursor, bits: number, size: number): Datatype {
  const base = parseAt(cursor, false);
  const names = (bits & 0xffff) === 2 && cursor.left >= 10 ? latin1(cursor.take(10)) : '';
  const isBoolean = base.sampleType === 'int8' && /^(FALSE|TRUE)\0/.test(names);
  return { ...base, size, ...(isBoolean ? { sampleType: 'uint8' as const } : {}) };
}

function integerType(cursor: Cursor, size: number, bits: number): SampleType | undefined {
  const bitOffset = cursor.u16();
  const precision = cursor.u16();
  const signed = (bits & 8) !== 0;
  // Unused high bits of an unsigned type (12 in 16) are zeros: the word is the value.
  const whole = precision === size * 8 || (!signed && (bits & 6) === 0 && precision >= 1 && precision < size * 8);
  if (!whole || bitOffset !== 0 || ![1, 2, 4, 8].includes(size)) return undefined;
  return `${signed ? 'int' : 'uint'}${(size * 8) as 8 | 16 | 32 | 64}`;
}

/** Bits of the exponent of the IEEE 754 types. */
const EXPONENT_BITS: Readonly<Record<number, number>> = { 2: 5, 4: 8, 8: 11 };

function floatType(cursor: Cursor, size: number, bits: number): SampleType | undefined {
  const bitOffset = cursor.u16();
  const precision = cursor.u16();
  const exponentAt = cursor.u8();
  const exponentBits = cursor.u8();
  const exponent = EXPONENT_BITS[size];
  const isIeee = exponent === exponentBits && exponentAt === size * 8 - 1 - (exponent ?? 0) && (bits & 0x40) === 0;
  if (!isIeee || bitOffset !== 0 || precision !== size * 8) return undefined;
  return `float${(size * 8) as 16 | 32 | 64}`;
}

export interface Dataspace {
  /** Slowest dimension first; empty for a scalar. */
  shape: number[];
  /** The largest shape that the dataset may grow to; infinite in dimensions without a limit. */
  maxShape: number[];
  /** True when there are no elements. */
  empty: boolean;
}

export function parseDataspace(file: Container, body: Uint8Array): Dataspace {
  const cursor = new Cursor(body, file, 'a dataspace');
  const version = cursor.u8();
  const rank = cursor.u8();
  const flags = cursor.u8();
  if (version < 1 || version > 2 || rank > 32)
    throw decodeFailed('contains an invalid dataspace; the file is corrupted');
  const kind = version === 2 ? cursor.u8() : cursor.skip(5) && 1;
  const shape = Array.from({ length: rank }, () => cursor.length());
  const maxShape = flags & 1 ? Array.from({ length: rank }, () => cursor.length()) : [...shape];
  return { shape, maxShape, empty: kind === 2 || shape.includes(0) };
}

/** Counts the elements of a shape. @throws AcqError `decode_failed` above 2⁵³ */
export function countElements(shape: readonly number[], what: string): number {
  const count = shape.reduce((product, size) => product * size, 1);
  if (!Number.isSafeInteger(count))
    throw decodeFailed(`${what}: the shape ${shape.map(grouped).join(' × ')} is out of range; the file is corrupted`);
  return count;
}

/** `countElements` for values that are read whole. @throws AcqError `decode_failed` above the limit */
export function countValues(shape: readonly number[], what: string): number {
  const count = countElements(shape, what);
  if (count > LIMITS.hdf5Elements) {
    throw decodeFailed(`${what}: lists ${grouped(count)} values; the limit is ${grouped(LIMITS.hdf5Elements)}`);
  }
  return count;
}
