/** The elements of one variable of a MATLAB file of version 5. */

import { latin1 } from '../../base/bytes.js';
import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import { EMPTY, MATLAB_LIMITS, type MatVariable, toText } from './mat-variable.js';

export const MATRIX = 14;
/** Classes of arrays. Those from 6 to 15 are numbers. */
const CLASS = { cell: 1, struct: 2, char: 4, firstNumber: 6, lastNumber: 15 } as const;
/** Bytes of a number, and how it is read, by the type of the element. */
const NUMBERS: Readonly<Record<number, { size: number; read(view: DataView, at: number, le: boolean): number }>> = {
  1: { size: 1, read: (view, at) => view.getInt8(at) },
  2: { size: 1, read: (view, at) => view.getUint8(at) },
  3: { size: 2, read: (view, at, le) => view.getInt16(at, le) },
  4: { size: 2, read: (view, at, le) => view.getUint16(at, le) },
  5: { size: 4, read: (view, at, le) => view.getInt32(at, le) },
  6: { size: 4, read: (view, at, le) => view.getUint32(at, le) },
  7: { size: 4, read: (view, at, le) => view.getFloat32(at, le) },
  9: { size: 8, read: (view, at, le) => view.getFloat64(at, le) },
  12: { size: 8, read: (view, at, le) => Number(view.getBigInt64(at, le)) },
  13: { size: 8, read: (view, at, le) => Number(view.getBigUint64(at, le)) },
};
const UTF8 = 16;
const UTF16 = 17;

interface Element {
  type: number;
  start: number;
  end: number;
  /** Where the next element begins. */
  next: number;
}

export class Mat5Elements {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly littleEndian: boolean;
  private left: number = MATLAB_LIMITS.values;

  constructor(bytes: Uint8Array, littleEndian: boolean) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.littleEndian = littleEndian;
  }

  /** Reads the tag of an element. Of up to four bytes, the data are in the tag. @throws AcqError `decode_failed` */
  tag(at: number, end: number): Element {
    if (at + 8 > end) throw corrupted('an element is missing');
    const first = this.view.getUint32(at, this.littleEndian);
    const small = first >>> 16;
    if (small > 4) throw corrupted(`a small element has ${grouped(small)} bytes`);
    if (small > 0) return { type: first & 0xffff, start: at + 4, end: at + 4 + small, next: at + 8 };
    const bytes = this.view.getUint32(at + 4, this.littleEndian);
    const start = at + 8;
    if (start + bytes > end) throw corrupted('an element goes beyond the end');
    // The last element need not be padded.
    return { type: first, start, end: start + bytes, next: Math.min(end, start + 8 * Math.ceil(bytes / 8)) };
  }

  /** Returns the name of the array. */
  name(): string {
    const flags = this.tagOf(0);
    const dims = this.tagOf(flags.next);
    const name = this.tagOf(dims.next);
    return latin1(this.bytes.subarray(name.start, name.end));
  }

  /** Parses all as the content of an array. @throws AcqError `decode_failed` */
  matrix(): MatVariable {
    return this.array(0, this.bytes.length, 0);
  }

  private tagOf(at: number): Element {
    return this.tag(at, this.bytes.length);
  }

  private array(from: number, end: number, depth: number): MatVariable {
    if (--this.left < 0) throw corrupted(`there are more than ${grouped(MATLAB_LIMITS.values)} values`);
    if (from === end) return EMPTY;
    if (depth > MATLAB_LIMITS.depth) throw corrupted('structs are nested too deep');
    const flags = this.tag(from, end);
    const arrayClass = this.bytes[flags.start + (this.littleEndian ? 0 : 3)] ?? 0;
    const isNumber = arrayClass >= CLASS.firstNumber && arrayClass <= CLASS.lastNumber;
    // Objects have no dimensions, and nothing that is needed.
    if (!isNumber && arrayClass !== CLASS.cell && arrayClass !== CLASS.struct && arrayClass !== CLASS.char) {
      return { kind: 'other', dims: [] };
    }
    const dimensions = this.tag(flags.next, end);
    const dims = this.numbers(dimensions).slice(0, 32);
    const count = dims.reduce((product, size) => product * size, 1);
    if (dims.length < 2 || dims.some((size) => size < 0) || !Number.isSafeInteger(count))
      throw corrupted('an array has no valid sizes');
    const { next } = this.tag(dimensions.next, end);
    if (arrayClass === CLASS.struct) return this.struct(dims, count, next, end, depth);
    if (arrayClass === CLASS.cell) return { kind: 'cell', dims, cells: this.members(count, next, end, depth) };
    const data = count === 0 ? undefined : this.tag(next, end);
    if (arrayClass === CLASS.char) return toText(dims, data ? this.characters(data) : []);
    return data ? this.numeric(dims, count, data) : EMPTY;
  }

  private struct(dims: number[], count: number, at: number, end: number, depth: number): MatVariable {
    const lengths = this.tag(at, end);
    const [length = 0] = this.numbers(lengths);
    const names = this.tag(lengths.next, end);
    const total = length > 0 ? Math.floor((names.end - names.start) / length) : 0;
    const fields = Array.from({ length: Math.min(total, MATLAB_LIMITS.values) }, (_, i) => {
      const start = names.start + i * length;
      return latin1(this.bytes.subarray(start, start + length)).replace(/\0[\s\S]*/, '');
    });
    const values = this.members(count * fields.length, names.next, end, depth);
    const ofField = (field: number) => Array.from({ length: count }, (_, i) => values[i * fields.length + field]!);
    return { kind: 'struct', dims, fields: new Map(fields.map((name, i) => [name, ofField(i)])) };
  }

  /** Parses arrays that follow each other. */
  private members(count: number, from: number, end: number, depth: number): MatVariable[] {
    if (count > this.left) throw corrupted(`there are more than ${grouped(MATLAB_LIMITS.values)} values`);
    const values: MatVariable[] = [];
    let at = from;
    for (let i = 0; i < count; i++) {
      const element = this.tag(at, end);
      if (element.type !== MATRIX) throw corrupted('a value is not an array');
      values.push(this.array(element.start, element.end, depth + 1));
      at = element.next;
    }
    return values;
  }

  private numeric(dims: number[], count: number, { type, start, end }: Element): MatVariable {
    const number = NUMBERS[type];
    if (!number || count * number.size > end - start) throw corrupted('numbers are missing');
    const { view, littleEndian } = this;
    return {
      kind: 'numbers',
      dims,
      count,
      at: (i) => (i < count ? number.read(view, start + i * number.size, littleEndian) : Number.NaN),
    };
  }

  private numbers({ type, start, end }: Element): number[] {
    const number = NUMBERS[type];
    if (!number) return [];
    const count = Math.min(1_024, Math.floor((end - start) / number.size));
    return Array.from({ length: count }, (_, i) => number.read(this.view, start + i * number.size, this.littleEndian));
  }

  private characters({ type, start, end }: Element): string[] {
    const data = this.bytes.subarray(start, Math.min(end, start + 100_000));
    if (type === UTF8 || type === 1 || type === 2) return [...new TextDecoder().decode(data)];
    if (type !== UTF16 && type !== 4) return [];
    const encoding = this.littleEndian ? 'utf-16le' : 'utf-16be';
    return new TextDecoder(encoding).decode(data).split('');
  }
}

function corrupted(what: string) {
  return decodeFailed(`${what}. The MATLAB file is truncated or corrupted; copy it again.`);
}
