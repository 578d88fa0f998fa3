/** Datatypes and dataspaces of HDF5 as bytes (file format specification 3.0, IV.A.2.b and d). */

export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

/** Values of an attribute or a dataset. A bare string is stored with a fixed length. */
export type Content =
  | string
  | number
  | Numbers
  /** Variable length, UTF-8: what h5py and pynwb write. */
  | { vlen: string | string[] }
  /** An array of one-character strings: what Imaris writes. */
  | { chars: string }
  /** h5py's boolean: an enumeration over int8. */
  | { bools: boolean[] }
  /** Half floats by their bits. */
  | { halves: Uint16Array }
  | { bigEndian: Uint16Array | Float32Array }
  /** A pair of numbers: no sample type. */
  | { compound: number };

export interface Encoded {
  type: Buffer;
  shape: number[];
  data: Buffer;
  elementBytes: number;
}

/** @param put stores a text of variable length and returns its 16 bytes */
export function encodeContent(content: Content, put: (text: string) => Buffer): Encoded {
  if (typeof content === 'number') return { ...encodeContent(Float64Array.of(content), put), shape: [] };
  if (typeof content === 'string') {
    const data = Buffer.from(`${content}\0`);
    return { type: stringType(data.length), shape: [], data, elementBytes: data.length };
  }
  if (ArrayBuffer.isView(content)) return numbers(content);
  if ('vlen' in content) {
    const list = Array.isArray(content.vlen) ? content.vlen : [content.vlen];
    const base = Buffer.concat([classed(3, 0, 1)]);
    const type = Buffer.concat([classed(9, 0x101, 16), base]);
    return {
      type,
      shape: Array.isArray(content.vlen) ? [list.length] : [],
      data: Buffer.concat(list.map(put)),
      elementBytes: 16,
    };
  }
  if ('chars' in content) {
    const data = Buffer.from(content.chars);
    return { type: stringType(1), shape: [data.length], data, elementBytes: 1 };
  }
  if ('bools' in content) {
    const values = Int8Array.from(content.bools, Number);
    const names = Buffer.from('FALSE\0\0\0TRUE\0\0\0\0\0\u0001', 'latin1');
    const type = Buffer.concat([classed(8, 2, 1), integerType(1, true), names]);
    return { ...numbers(values), type };
  }
  if ('halves' in content) return { ...numbers(content.halves), type: floatType(2) };
  if ('compound' in content) return { type: classed(6, 0, 8), shape: [1], data: Buffer.alloc(8), elementBytes: 8 };
  const { bigEndian } = content;
  const plain = numbers(bigEndian);
  const size = plain.elementBytes;
  plain.type.writeUInt8(plain.type.readUInt8(1) | 1, 1);
  const data = Buffer.from(plain.data);
  return { ...plain, data: size === 2 ? data.swap16() : data.swap32() };
}

function numbers(array: Numbers): Encoded {
  const size = array.BYTES_PER_ELEMENT;
  const isFloat = array instanceof Float32Array || array instanceof Float64Array;
  const signed = /^(Int|BigInt)/.test(array.constructor.name);
  const data = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return {
    type: isFloat ? floatType(size) : integerType(size, signed),
    shape: [array.length],
    data,
    elementBytes: size,
  };
}

function classed(kind: number, bits: number, size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt8(0x10 | kind, 0);
  bytes.writeUIntLE(bits, 1, 3);
  bytes.writeUInt32LE(size, 4);
  return bytes;
}

function stringType(size: number): Buffer {
  return classed(3, 0x10, size);
}

function integerType(size: number, signed: boolean): Buffer {
  const properties = Buffer.alloc(4);
  properties.writeUInt16LE(size * 8, 2);
  return Buffer.concat([classed(0, signed ? 8 : 0, size), properties]);
}

const FLOATS: Record<number, [exponent: number, mantissa: number, bias: number]> = {
  2: [5, 10, 15],
  4: [8, 23, 127],
  8: [11, 52, 1023],
};

function floatType(size: number): Buffer {
  const [exponent, mantissa, bias] = FLOATS[size] as [number, number, number];
  const properties = Buffer.alloc(12);
  properties.writeUInt16LE(size * 8, 2);
  properties.writeUInt8(mantissa, 4);
  properties.writeUInt8(exponent, 5);
  properties.writeUInt8(0, 6);
  properties.writeUInt8(mantissa, 7);
  properties.writeUInt32LE(bias, 8);
  return Buffer.concat([classed(1, 0x20 | ((size * 8 - 1) << 8), size), properties]);
}

/** Version 1 of the message for old headers, 2 for new ones. `most` may hold Infinity. */
export function dataspace(shape: readonly number[], most: readonly number[] | undefined, version: 1 | 2): Buffer {
  const head = Buffer.from([
    version,
    shape.length,
    most ? 1 : 0,
    ...(version === 1 ? [0, 0, 0, 0, 0] : [shape.length ? 1 : 0]),
  ]);
  const words = [...shape, ...(most ?? [])].map((size) => word(size));
  return Buffer.concat([head, ...words]);
}

export function word(value: number): Buffer {
  const bytes = Buffer.alloc(8, 0xff);
  if (Number.isFinite(value)) bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
