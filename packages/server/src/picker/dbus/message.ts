import { createWriter, marshal, pad, putUint32 } from './marshal.js';
import { type DBusValue, isVariant, parseSignature, parseSingle, variant } from './signature.js';
import { createReader, unmarshal } from './unmarshal.js';

/** A D-Bus message (D-Bus Specification, "Message Protocol"). */
export interface Message {
  kind: 'call' | 'return' | 'error' | 'signal';
  serial: number;
  path: string;
  interface: string;
  member: string;
  sender: string;
  /** Name of an error; empty in other messages. */
  errorName: string;
  /** Serial of the call that this message answers; 0 without one. */
  replyTo: number;
  body: DBusValue[];
}

export interface MethodCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  /** Types of `body`. */
  signature?: string;
  body?: DBusValue[];
}

/** Bytes before the array of header fields: endianness, type, flags, version, body length, serial, array length. */
const FIXED_HEADER = 16;
/** The protocol allows 128 MiB; messages of a file dialog are below 1 KiB. */
export const MAX_MESSAGE = 2 ** 20;

const LITTLE = 'l'.charCodeAt(0);
const BIG = 'B'.charCodeAt(0);
const METHOD_CALL = 1;
const KINDS = ['call', 'return', 'error', 'signal'] as const;
const FIELD = { path: 1, interface: 2, member: 3, errorName: 4, replyTo: 5, destination: 6, sender: 7, signature: 8 };
const HEADER_FIELDS = parseSingle('a(yv)');

export function encodeCall(call: MethodCall, serial: number): Buffer {
  const signature = call.signature ?? '';
  const body = createWriter();
  for (const [index, type] of parseSignature(signature).entries()) {
    marshal(body, type, call.body?.[index] as DBusValue);
  }
  const fields: DBusValue[] = [
    [FIELD.path, variant('o', call.path)],
    [FIELD.interface, variant('s', call.interface)],
    [FIELD.member, variant('s', call.member)],
    [FIELD.destination, variant('s', call.destination)],
  ];
  if (signature) fields.push([FIELD.signature, variant('g', signature)]);
  const header = createWriter();
  header.bytes.push(LITTLE, METHOD_CALL, 0, 1);
  putUint32(header, body.bytes.length);
  putUint32(header, serial);
  marshal(header, HEADER_FIELDS, fields);
  pad(header, 8);
  return Buffer.from([...header.bytes, ...body.bytes]);
}

/**
 * Returns the size in bytes of the message at the start of `start`; undefined before its first 16 bytes have arrived.
 * @throws Error when it is not a D-Bus message or is larger than `MAX_MESSAGE`
 */
export function messageLength(start: Buffer): number | undefined {
  if (start.length < FIXED_HEADER) return undefined;
  const { bodyStart, bodyLength } = layout(start);
  const length = bodyStart + bodyLength;
  if (length > MAX_MESSAGE) throw new Error(`D-Bus message of ${length} bytes`);
  return length;
}

/**
 * Decodes one message.
 * @param bytes the complete message
 * @throws Error when it is malformed
 */
export function decodeMessage(bytes: Buffer): Message {
  const { littleEndian, bodyStart } = layout(bytes);
  const kind = KINDS[bytes.readUInt8(1) - 1];
  if (!kind) throw new Error(`D-Bus message of unknown type ${bytes.readUInt8(1)}`);
  const fields = readFields(bytes.subarray(0, bodyStart), littleEndian);
  const text = (field: number) => {
    const value = fields.get(field);
    return typeof value === 'string' ? value : '';
  };
  const replyTo = fields.get(FIELD.replyTo);
  const body = createReader(bytes.subarray(bodyStart), littleEndian);
  return {
    kind,
    serial: littleEndian ? bytes.readUInt32LE(8) : bytes.readUInt32BE(8),
    path: text(FIELD.path),
    interface: text(FIELD.interface),
    member: text(FIELD.member),
    sender: text(FIELD.sender),
    errorName: text(FIELD.errorName),
    replyTo: typeof replyTo === 'number' ? replyTo : 0,
    body: parseSignature(text(FIELD.signature)).map((type) => unmarshal(body, type)),
  };
}

function readFields(header: Buffer, littleEndian: boolean): Map<number, DBusValue> {
  const fields = new Map<number, DBusValue>();
  // The length of the array is the last word of the fixed part.
  const list = unmarshal(createReader(header, littleEndian, FIXED_HEADER - 4), HEADER_FIELDS);
  for (const entry of list as [number, DBusValue][]) {
    const [code, value] = entry;
    if (isVariant(value)) fields.set(code, value.value);
  }
  return fields;
}

function layout(bytes: Buffer): { littleEndian: boolean; bodyStart: number; bodyLength: number } {
  const order = bytes.readUInt8(0);
  if (order !== LITTLE && order !== BIG) throw new Error('not a D-Bus message');
  const littleEndian = order === LITTLE;
  const word = (at: number) => (littleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const bodyStart = Math.ceil((FIXED_HEADER + word(12)) / 8) * 8;
  return { littleEndian, bodyStart, bodyLength: word(4) };
}
