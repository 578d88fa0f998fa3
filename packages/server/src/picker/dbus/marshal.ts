import { alignmentOf, type BasicCode, type DBusType, type DBusValue, isVariant, parseSingle } from './signature.js';

/** Builds little-endian D-Bus data. Messages have at most a few KiB, so a plain array of bytes is enough. */
export interface Writer {
  bytes: number[];
}

export const createWriter = (): Writer => ({ bytes: [] });

export function pad(writer: Writer, alignment: number): void {
  while (writer.bytes.length % alignment !== 0) writer.bytes.push(0);
}

/** Appends a value of the type. @throws Error when the value does not have the type */
export function marshal(writer: Writer, type: DBusType, value: DBusValue): void {
  pad(writer, alignmentOf(type));
  if (type.kind === 'basic') marshalBasic(writer, type.code, value);
  else if (type.kind === 'array') marshalArray(writer, type.element, asList(value));
  else marshalFields(writer, type.fields, asList(value));
}

function marshalFields(writer: Writer, fields: DBusType[], values: DBusValue[]): void {
  if (values.length !== fields.length) throw new Error(`${fields.length} D-Bus fields, ${values.length} values`);
  for (const [index, field] of fields.entries()) marshal(writer, field, values[index]!);
}

function marshalArray(writer: Writer, element: DBusType, values: DBusValue[]): void {
  putUint32(writer, 0);
  const lengthAt = writer.bytes.length - 4;
  pad(writer, alignmentOf(element));
  // The length excludes the padding before the first element.
  const start = writer.bytes.length;
  for (const value of values) marshal(writer, element, value);
  const length = createWriter();
  putUint32(length, writer.bytes.length - start);
  writer.bytes.splice(lengthAt, 4, ...length.bytes);
}

function marshalBasic(writer: Writer, code: BasicCode, value: DBusValue): void {
  if (code === 'v') marshalVariant(writer, value);
  else if (code === 's' || code === 'o') putString(writer, asText(value));
  else if (code === 'g') putSignature(writer, asText(value));
  else if (code === 'b' && typeof value === 'boolean') putUint32(writer, value ? 1 : 0);
  else if (code === 'y' && isUint(value, 0xff)) writer.bytes.push(value);
  else if (code === 'u' && isUint(value, 0xffffffff)) putUint32(writer, value);
  else throw new Error(`cannot send ${typeof value} as D-Bus type "${code}"`);
}

function marshalVariant(writer: Writer, value: DBusValue): void {
  if (!isVariant(value)) throw new Error('not a D-Bus variant');
  putSignature(writer, value.signature);
  marshal(writer, parseSingle(value.signature), value.value);
}

export function putUint32(writer: Writer, value: number): void {
  writer.bytes.push(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255);
}

function putString(writer: Writer, text: string): void {
  // A NUL ends a string on the wire: the bus would disconnect.
  if (text.includes('\0')) throw new Error('NUL in a D-Bus string');
  const utf8 = Buffer.from(text, 'utf8');
  putUint32(writer, utf8.length);
  writer.bytes.push(...utf8, 0);
}

function putSignature(writer: Writer, text: string): void {
  const ascii = Buffer.from(text, 'latin1');
  writer.bytes.push(ascii.length, ...ascii, 0);
}

const isUint = (value: DBusValue, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;

function asText(value: DBusValue): string {
  if (typeof value !== 'string') throw new Error('not a D-Bus string');
  return value;
}

function asList(value: DBusValue): DBusValue[] {
  if (!Array.isArray(value)) throw new Error('not a D-Bus array or struct');
  return value;
}
