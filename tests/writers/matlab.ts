/** Writes a struct as a MATLAB file: version 5 by MathWorks' description of the format, and version 7.3 as HDF5. */
import { deflateSync } from 'node:zlib';
import { type H5Node, writeHdf5 } from './hdf5.js';

/** A text of several rows is an array of characters; `opaque` is an object of a class. */
export type Matlab =
  | number
  | number[]
  | string
  | { rows: string[] }
  | { table: number[]; dims: number[] }
  | { cell: Matlab[] }
  | { structs: { [field: string]: Matlab }[] }
  | { opaque: true }
  | { fields: { [field: string]: Matlab } };

export interface Mat5Options {
  bigEndian?: boolean;
  compressed?: boolean;
  /** Variables before the one that is wanted. */
  before?: { name: string; value: Matlab }[];
}

const CLASS = { cell: 1, struct: 2, char: 4, double: 6, opaque: 17 } as const;
const TYPE = { int8: 1, uint8: 2, uint16: 4, int32: 5, uint32: 6, double: 9, matrix: 14, compressed: 15 } as const;

export function writeMat5(name: string, value: Matlab, options: Mat5Options = {}): Uint8Array {
  const { bigEndian = false, compressed = true, before = [] } = options;
  const writer = new Mat5Writer(bigEndian);
  const head = Buffer.alloc(128, ' ');
  head.write('MATLAB 5.0 MAT-file, written by a test', 'latin1');
  head.fill(0, 116, 124);
  if (bigEndian) head.writeUInt16BE(0x0100, 124);
  else head.writeUInt16LE(0x0100, 124);
  head.write(bigEndian ? 'MI' : 'IM', 126, 'latin1');
  const variables = [...before, { name, value }].map((variable) => {
    const matrix = writer.matrix(variable.name, variable.value);
    if (!compressed) return matrix;
    const data = deflateSync(matrix);
    return Buffer.concat([writer.words(TYPE.compressed, data.length), data]);
  });
  return new Uint8Array(Buffer.concat([head, ...variables]));
}

class Mat5Writer {
  private readonly bigEndian: boolean;

  constructor(bigEndian: boolean) {
    this.bigEndian = bigEndian;
  }

  words(...values: number[]): Buffer {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [i, value] of values.entries()) {
      if (this.bigEndian) bytes.writeUInt32BE(value >>> 0, 4 * i);
      else bytes.writeUInt32LE(value >>> 0, 4 * i);
    }
    return bytes;
  }

  matrix(name: string, value: Matlab): Buffer {
    return this.element(TYPE.matrix, this.content(name, value), false);
  }

  private content(name: string, value: Matlab): Buffer {
    if (typeof value === 'number') return this.numbers(name, [1, 1], [value]);
    if (Array.isArray(value)) return this.numbers(name, [value.length === 0 ? 0 : 1, value.length], value);
    if (typeof value === 'string') return this.text(name, value === '' ? [] : [value]);
    if ('rows' in value) return this.text(name, value.rows);
    if ('table' in value) return this.numbers(name, value.dims, value.table);
    if ('opaque' in value)
      return Buffer.concat([this.element(TYPE.uint32, this.words(CLASS.opaque, 0)), Buffer.alloc(24, 1)]);
    if ('cell' in value) {
      const cells = value.cell.map((cell) => this.matrix('', cell));
      return Buffer.concat([this.head(CLASS.cell, name, [1, cells.length]), ...cells]);
    }
    const structs = 'structs' in value ? value.structs : [value.fields];
    const fields = Object.keys(structs[0] ?? {});
    const names = Buffer.alloc(32 * fields.length);
    for (const [i, field] of fields.entries()) names.write(field, 32 * i, 'latin1');
    const parts = structs.flatMap((struct) => fields.map((field) => this.matrix('', struct[field]!)));
    const length = this.element(TYPE.int32, this.words(32));
    return Buffer.concat([
      this.head(CLASS.struct, name, [1, structs.length]),
      length,
      this.element(TYPE.int8, names),
      ...parts,
    ]);
  }

  private numbers(name: string, dims: number[], values: number[]): Buffer {
    const data = Buffer.alloc(8 * values.length);
    // MATLAB stores the numbers of an array in the smallest type that they fit in.
    const isSmall = values.every((value) => Number.isInteger(value) && value >= 0 && value < 65_536);
    for (const [i, value] of values.entries()) {
      if (isSmall) this.bigEndian ? data.writeUInt16BE(value, 2 * i) : data.writeUInt16LE(value, 2 * i);
      else this.bigEndian ? data.writeDoubleBE(value, 8 * i) : data.writeDoubleLE(value, 8 * i);
    }
    const used = data.subarray(0, (isSmall ? 2 : 8) * values.length);
    return Buffer.concat([
      this.head(CLASS.double, name, dims),
      this.element(isSmall ? TYPE.uint16 : TYPE.double, used),
    ]);
  }

  private text(name: string, rows: string[]): Buffer {
    const columns = Math.max(0, ...rows.map((row) => row.length));
    const padded = rows.map((row) => row.padEnd(columns));
    const data = Buffer.alloc(2 * rows.length * columns);
    for (let c = 0; c < columns; c++) {
      for (const [r, row] of padded.entries()) {
        const at = 2 * (c * rows.length + r);
        if (this.bigEndian) data.writeUInt16BE(row.charCodeAt(c), at);
        else data.writeUInt16LE(row.charCodeAt(c), at);
      }
    }
    return Buffer.concat([this.head(CLASS.char, name, [rows.length, columns]), this.element(TYPE.uint16, data)]);
  }

  private head(arrayClass: number, name: string, dims: number[]): Buffer {
    return Buffer.concat([
      this.element(TYPE.uint32, this.words(arrayClass, 0)),
      this.element(TYPE.int32, this.words(...dims)),
      this.element(TYPE.int8, Buffer.from(name, 'latin1')),
    ]);
  }

  /** Up to four bytes are in the tag. */
  private element(type: number, data: Buffer, mayBeSmall = true): Buffer {
    if (mayBeSmall && data.length > 0 && data.length <= 4) {
      const padded = Buffer.alloc(4);
      data.copy(padded);
      return Buffer.concat([this.words((data.length << 16) | type), padded]);
    }
    return Buffer.concat([this.words(type, data.length), data, Buffer.alloc((8 - (data.length % 8)) % 8)]);
  }
}

/** Writes version 7.3, without cells and arrays of structs. */
export function writeMat73(name: string, value: Matlab): Uint8Array {
  const bytes = writeHdf5({ members: { [name]: toNode(value) } }, { userBlock: 512 });
  bytes.set(Buffer.from('MATLAB 7.3 MAT-file, written by a test'.padEnd(124), 'latin1'));
  bytes.set([0, 2, 0x49, 0x4d], 124);
  return bytes;
}

function toNode(value: Matlab): H5Node {
  if (typeof value === 'number') return numbers([value], [1, 1]);
  if (Array.isArray(value)) return value.length === 0 ? empty('double') : numbers(value, [value.length, 1]);
  if (typeof value === 'string') return value === '' ? empty('char') : text([value]);
  if ('rows' in value) return text(value.rows);
  if ('table' in value) return numbers(value.table, [...value.dims].reverse());
  if ('fields' in value) {
    const members = Object.entries(value.fields).map(([field, inner]) => [field, toNode(inner)]);
    return { attrs: { MATLAB_class: 'struct' }, members: Object.fromEntries(members) };
  }
  throw new Error('cells and arrays of structs need references');
}

const empty = (matlabClass: string): H5Node => ({
  data: new BigUint64Array(2),
  shape: [2],
  attrs: { MATLAB_class: matlabClass, MATLAB_empty: 1 },
});
const numbers = (values: number[], shape: number[]): H5Node => ({
  data: Float64Array.from(values),
  shape,
  attrs: { MATLAB_class: 'double' },
});

/** Columns of characters, as MATLAB has them. */
function text(rows: string[]): H5Node {
  const columns = Math.max(...rows.map((row) => row.length));
  const codes = Array.from({ length: columns * rows.length }, (_, i) =>
    rows[i % rows.length]!.padEnd(columns).charCodeAt(Math.floor(i / rows.length)),
  );
  return { data: Uint16Array.from(codes), shape: [columns, rows.length], attrs: { MATLAB_class: 'char' } };
}
