/** Parses the binary encoding of trees ("CLX Lite variant"): records of type, name and value, little-endian. */
import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { platform } from '../../base/platform.js';
import { grouped } from '../../base/wording.js';
import { type ParsedLevels, USED, VariantLevel, type VariantValue } from './variant.js';

const TEXT = 8;
const BYTES = 9;
const LEVEL = 11;
const COMPRESSED = 76;
/** Bytes before the zlib stream of a compressed tree, including its type byte. */
const COMPRESSED_HEAD = 12;
const MAX_DEPTH = 64;
const UTF16 = new TextDecoder('utf-16le');
/** Code units of a text that is decoded here. */
const MAX_SHORT = 64;

/**
 * Parses the tree in a payload. Its only entry is the root record.
 * @param where name of the chunk, for messages
 * @param selection what is parsed
 * @throws AcqError `decode_failed` when records are truncated or inconsistent
 */
export function parseLv(bytes: Uint8Array, where: string, selection: ParsedLevels = USED): VariantLevel {
  const data = bytes[0] === COMPRESSED ? inflateTree(bytes, where) : bytes;
  const parser = new LvParser(data, where, selection);
  const root = new VariantLevel();
  parser.record(root, 0, data.length, 0);
  return root;
}

function inflateTree(bytes: Uint8Array, where: string): Uint8Array {
  const packed = bytes.subarray(COMPRESSED_HEAD);
  const limit = LIMITS.nd2MetadataBytes;
  let tree: Uint8Array | 'too large';
  try {
    tree = platform().inflate.inflate(packed, { wrapper: 'zlib', limit });
  } catch (error) {
    throw decodeFailed(`${where}: the metadata cannot be decompressed (${(error as Error).message})`, error);
  }
  if (tree !== 'too large') return tree;
  throw decodeFailed(
    `${where}: the metadata cannot be decompressed: it has more than ${grouped(limit)} bytes, the limit`,
  );
}

class LvParser {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private readonly where: string;
  private readonly selection: ParsedLevels;
  private records = 0;

  constructor(bytes: Uint8Array, where: string, selection: ParsedLevels) {
    this.bytes = bytes;
    this.where = where;
    this.selection = selection;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Reads the record at `start` into `parent`; returns the offset of the next one, which is never before its end. */
  record(parent: VariantLevel, start: number, end: number, depth: number, kept?: readonly string[]): number {
    if (depth > MAX_DEPTH) throw this.corrupted(start, `more than ${MAX_DEPTH} nested levels`);
    if (++this.records > LIMITS.nd2Records) {
      throw this.corrupted(start, `more than ${grouped(LIMITS.nd2Records)} records`);
    }
    this.need(start, 2, end);
    const type = this.bytes[start]!;
    const units = this.bytes[start + 1]!;
    const at = start + 2 + units * 2;
    this.need(start + 2, units * 2, end);
    if (type === LEVEL) return this.level(parent, this.utf16(start + 2, at), start, at, end, depth);
    const next = this.end(type, start, at, end);
    if (kept && !kept.some((begin) => this.begins(start + 2, at, begin))) return next;
    const value = this.scalar(type, at, next);
    if (value !== undefined) parent.entries.push({ name: this.utf16(start + 2, at), value });
    return next;
  }

  /** Says whether the text between two offsets begins like another: most records are passed over without their names. */
  private begins(from: number, to: number, begin: string): boolean {
    if (to - from < begin.length * 2) return false;
    for (let i = 0; i < begin.length; i++) {
      if (this.view.getUint16(from + i * 2, true) !== begin.charCodeAt(i)) return false;
    }
    return true;
  }

  /**
   * A level stores the number of its children and the length from its type byte to the end of the last child. A table
   * with an offset for each child follows and is not part of that length.
   */
  private level(parent: VariantLevel, name: string, start: number, at: number, end: number, depth: number): number {
    this.need(at, 12, end);
    const count = this.view.getUint32(at, true);
    const last = start + this.u64(at + 4);
    const next = last + count * 8;
    if (last < at + 12 || next > end) throw this.corrupted(start, `the level "${name}" extends beyond its parent`);
    const level = new VariantLevel();
    parent.entries.push({ name, value: level });
    if (this.selection.skip.has(name)) return next;
    const kept = this.selection.keep.get(name);
    let child = at + 12;
    for (let i = 0; i < count; i++) child = this.record(level, child, last, depth + 1, kept);
    return next;
  }

  /** Returns the offset after the value at `at`. */
  private end(type: number, start: number, at: number, end: number): number {
    const fixed = FIXED_SIZES[type];
    if (fixed !== undefined) {
      this.need(at, fixed, end);
      return at + fixed;
    }
    if (type === TEXT) {
      let stop = at;
      for (this.need(stop, 2, end); this.view.getUint16(stop, true) !== 0; stop += 2) this.need(stop + 2, 2, end);
      return stop + 2;
    }
    if (type === BYTES) {
      this.need(at, 8, end);
      const size = this.u64(at);
      this.need(at + 8, size, end);
      return at + 8 + size;
    }
    throw this.corrupted(start, `unknown record type ${type}`);
  }

  private scalar(type: number, at: number, next: number): Exclude<VariantValue, VariantLevel> | undefined {
    if (type === TEXT) return this.utf16(at, next - 2);
    return type === BYTES ? this.bytes.subarray(at + 8, next) : this.fixed(type, at);
  }

  private fixed(type: number, at: number): boolean | number | undefined {
    switch (type) {
      case 1:
        return this.view.getUint8(at) !== 0;
      case 2:
        return this.view.getInt32(at, true);
      case 3:
        return this.view.getUint32(at, true);
      case 4:
        return Number(this.view.getBigInt64(at, true));
      case 5:
        return Number(this.view.getBigUint64(at, true));
      case 6:
        return this.view.getFloat64(at, true);
      default:
        return undefined;
    }
  }

  private u64(at: number): number {
    return this.view.getUint32(at, true) + this.view.getUint32(at + 4, true) * 2 ** 32;
  }

  private utf16(from: number, to: number): string {
    let stop = from;
    while (stop + 1 < to && this.view.getUint16(stop, true) !== 0) stop += 2;
    return this.shortAscii(from, stop) ?? UTF16.decode(this.bytes.subarray(from, stop));
  }

  /** Most names: calling the decoder of the platform for each takes longer than all else that parsing does. */
  private shortAscii(from: number, stop: number): string | undefined {
    if (stop - from > 2 * MAX_SHORT) return undefined;
    let text = '';
    for (let at = from; at < stop; at += 2) {
      const unit = this.view.getUint16(at, true);
      if (unit >= 0x80) return undefined;
      text += String.fromCharCode(unit);
    }
    return text;
  }

  private need(at: number, length: number, end: number): void {
    if (at + length > end) throw this.corrupted(at, 'incomplete record');
  }

  private corrupted(at: number, problem: string): Error {
    return decodeFailed(`${this.where}: ${problem} at byte ${grouped(at)} of the metadata; the file is corrupted`);
  }
}

/** Sizes in bytes of the fixed-size types: bool, i32, u32, i64, u64, f64, pointer. */
const FIXED_SIZES: Record<number, number> = { 1: 1, 2: 4, 3: 4, 4: 8, 5: 8, 6: 8, 7: 8 };
