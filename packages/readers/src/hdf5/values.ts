/** Reads the values of attributes and small datasets. */
import { decodeFailed, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import type { Container } from './container.js';
import { Cursor, decodeName } from './cursor.js';
import { countValues, type Dataspace, type Datatype, parseDataspace, parseDatatype } from './datatype.js';
import { MESSAGE, type Message, sharedBody } from './header.js';
import { FractalHeap, readGlobalHeap } from './heaps.js';
import { treeRecords } from './tree2.js';

/** Numbers or texts in file order; one entry for a scalar. */
export interface Hdf5Value {
  shape: number[];
  numbers: number[] | undefined;
  texts: string[] | undefined;
  /** Addresses of referenced objects. */
  references: number[] | undefined;
}

/** References or texts in one value. Real files list electrodes or planes. */
const MAX_TEXTS = 1_000_000;

export function readAttributes(file: Container, messages: readonly Message[]): Map<string, () => Hdf5Value> {
  const attributes = new Map<string, () => Hdf5Value>();
  const add = (body: Uint8Array) => {
    const { name, value } = parseAttribute(file, body);
    if (attributes.has(name)) return;
    file.spendText(name.length);
    attributes.set(name, value);
  };
  for (const { type, body, shared } of messages) {
    if (type === MESSAGE.attribute) add(shared ? sharedBody(file, type, body) : body);
    if (type !== MESSAGE.attributeInfo) continue;
    const cursor = new Cursor(body, file, 'attributes').skip(1);
    if (cursor.u8() & 1) cursor.skip(2);
    const heapAddress = cursor.address();
    const index = cursor.address();
    if (heapAddress === undefined || index === undefined) continue;
    const heap = new FractalHeap(file, heapAddress);
    for (const record of treeRecords(file, index, [8])) {
      const id = record.take(8);
      const isShared = (record.u8() & 2) !== 0;
      const object = heap.object(id);
      add(isShared ? sharedBody(file, MESSAGE.attribute, object) : object);
    }
  }
  return attributes;
}

/** Parses an attribute message (specification IV.A.2.m). The value is decoded on first use. */
function parseAttribute(file: Container, body: Uint8Array): { name: string; value: () => Hdf5Value } {
  const cursor = new Cursor(body, file, 'an attribute');
  const version = cursor.u8();
  const flags = cursor.u8();
  if (version < 1 || version > 3)
    throw decodeFailed(`an attribute has the invalid version ${version}; the file is corrupted`);
  const sizes = [cursor.u16(), cursor.u16(), cursor.u16()] as const;
  if (version === 3) cursor.skip(1);
  const part = (size: number) => {
    const bytes = cursor.take(size);
    if (version === 1) cursor.skip(Math.min(cursor.left, (8 - (size % 8)) % 8));
    return bytes;
  };
  const name = decodeName(part(sizes[0]));
  const typeBody = part(sizes[1]);
  const spaceBody = part(sizes[2]);
  const data = cursor.take(cursor.left);
  const value = () => {
    const type = parseDatatype(
      file,
      version > 1 && flags & 1 ? sharedBody(file, MESSAGE.datatype, typeBody) : typeBody,
    );
    const space = parseDataspace(
      file,
      version > 1 && flags & 2 ? sharedBody(file, MESSAGE.dataspace, spaceBody) : spaceBody,
    );
    return toValue(file, type, space, data, `the attribute ${name}`);
  };
  return { name, value };
}

/** Decodes values. @throws AcqError `decode_failed` when `data` are shorter than type and shape require */
export function toValue(file: Container, type: Datatype, space: Dataspace, data: Uint8Array, what: string): Hdf5Value {
  const count = space.empty ? 0 : countValues(space.shape, what);
  if (count * type.size > data.length)
    throw decodeFailed(`${what} is truncated before its last value; the file is corrupted`);
  const value: Hdf5Value = { shape: space.shape, numbers: undefined, texts: undefined, references: undefined };
  if (type.kind === 'integer' || type.kind === 'float')
    return { ...value, numbers: toNumbers(type, count, data, what) };
  if (count > MAX_TEXTS)
    throw decodeFailed(`${what} lists ${grouped(count)} texts; the limit is ${grouped(MAX_TEXTS)}`);
  const cursor = new Cursor(data, file, what);
  if (type.kind === 'string') {
    file.spendText(count * type.size);
    return { ...value, texts: repeat(count, () => decodeName(cursor.take(type.size))) };
  }
  if (type.kind === 'reference' && type.size === file.offsetSize) {
    return { ...value, references: repeat(count, () => cursor.address() ?? -1) };
  }
  if (type.kind !== 'variable-string') return value;
  return { ...value, texts: repeat(count, () => variableText(file, cursor)) };
}

function variableText(file: Container, cursor: Cursor): string {
  const length = cursor.u32();
  const collection = cursor.address();
  const index = cursor.u32();
  if (length === 0 || collection === undefined || collection === 0) return '';
  const bytes = readGlobalHeap(file, collection, index);
  if (!bytes) throw decodeFailed('a referenced text is missing; the file is corrupted');
  const used = bytes.subarray(0, length);
  file.spendText(used.length);
  return decodeName(used);
}

function toNumbers(type: Datatype, count: number, data: Uint8Array, what: string): number[] {
  const { size, littleEndian: le, sampleType } = type;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const read: Partial<Record<NonNullable<typeof sampleType>, (at: number) => number>> = {
    uint8: (at) => view.getUint8(at),
    int8: (at) => view.getInt8(at),
    uint16: (at) => view.getUint16(at, le),
    int16: (at) => view.getInt16(at, le),
    uint32: (at) => view.getUint32(at, le),
    int32: (at) => view.getInt32(at, le),
    uint64: (at) => Number(view.getBigUint64(at, le)),
    int64: (at) => Number(view.getBigInt64(at, le)),
    float32: (at) => view.getFloat32(at, le),
    float64: (at) => view.getFloat64(at, le),
  };
  const readNumber = sampleType === undefined ? undefined : read[sampleType];
  if (!readNumber) throw unsupported(`${what} has numbers of ${grouped(size)} bytes of an unsupported kind`);
  return repeat(count, (i) => readNumber(i * size));
}

function repeat<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
