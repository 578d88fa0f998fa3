import { alignmentOf, type BasicCode, type DBusType, type DBusValue, MAX_DEPTH, parseSingle } from './signature.js';

/** Reads D-Bus data; alignment counts from the start of `bytes`. */
export interface DBusReader {
  bytes: Buffer;
  position: number;
  littleEndian: boolean;
  /** Number of variants around the current value. */
  depth: number;
}

export const createReader = (bytes: Buffer, littleEndian: boolean, position = 0): DBusReader => ({
  bytes,
  position,
  littleEndian,
  depth: 0,
});

/** Reads a value of the type. @throws Error when the bytes end early, or a length or terminator is invalid */
export function unmarshal(reader: DBusReader, type: DBusType): DBusValue {
  align(reader, alignmentOf(type));
  if (type.kind === 'basic') return unmarshalBasic(reader, type.code);
  if (type.kind === 'array') return unmarshalArray(reader, type.element);
  return type.fields.map((field) => unmarshal(reader, field));
}

function align(reader: DBusReader, alignment: number): void {
  reader.position = Math.ceil(reader.position / alignment) * alignment;
}

/** Skips `count` bytes and returns where they start. */
function take(reader: DBusReader, count: number): number {
  const start = reader.position;
  if (count > reader.bytes.length - start)
    throw new Error(`D-Bus message ends early: expected ${count} bytes at byte ${start}`);
  reader.position = start + count;
  return start;
}

function unmarshalArray(reader: DBusReader, element: DBusType): DBusValue[] {
  const length = readUint32(reader);
  align(reader, alignmentOf(element));
  const end = take(reader, length) + length;
  reader.position = end - length;
  const values: DBusValue[] = [];
  // Every type takes at least one byte, so this ends.
  while (reader.position < end) values.push(unmarshal(reader, element));
  if (reader.position !== end) throw new Error('D-Bus array is longer than its length');
  return values;
}

function unmarshalBasic(reader: DBusReader, code: BasicCode): DBusValue {
  const { bytes, littleEndian: le } = reader;
  switch (code) {
    case 'y':
      return bytes.readUInt8(take(reader, 1));
    case 'b':
      return readUint32(reader) !== 0;
    case 'n':
      return le ? bytes.readInt16LE(take(reader, 2)) : bytes.readInt16BE(take(reader, 2));
    case 'q':
      return le ? bytes.readUInt16LE(take(reader, 2)) : bytes.readUInt16BE(take(reader, 2));
    case 'i':
      return readUint32(reader) | 0;
    case 'u':
      return readUint32(reader);
    case 'x':
      return le ? bytes.readBigInt64LE(take(reader, 8)) : bytes.readBigInt64BE(take(reader, 8));
    case 't':
      return le ? bytes.readBigUInt64LE(take(reader, 8)) : bytes.readBigUInt64BE(take(reader, 8));
    case 'd':
      return le ? bytes.readDoubleLE(take(reader, 8)) : bytes.readDoubleBE(take(reader, 8));
    case 's':
    case 'o':
      return readText(reader, readUint32(reader), 'utf8');
    case 'g':
      return readText(reader, bytes.readUInt8(take(reader, 1)), 'latin1');
    case 'v':
      return unmarshalVariant(reader);
  }
}

function unmarshalVariant(reader: DBusReader): DBusValue {
  if (reader.depth >= MAX_DEPTH) throw new Error('D-Bus variants nested too deep');
  const signature = readText(reader, reader.bytes.readUInt8(take(reader, 1)), 'latin1');
  reader.depth += 1;
  const value = unmarshal(reader, parseSingle(signature));
  reader.depth -= 1;
  return { signature, value };
}

function readUint32(reader: DBusReader): number {
  const at = take(reader, 4);
  return reader.littleEndian ? reader.bytes.readUInt32LE(at) : reader.bytes.readUInt32BE(at);
}

function readText(reader: DBusReader, length: number, encoding: 'utf8' | 'latin1'): string {
  const start = take(reader, length + 1);
  if (reader.bytes[start + length] !== 0) throw new Error('D-Bus string has no terminator');
  return reader.bytes.toString(encoding, start, start + length);
}
