/**
 * Where the stage was at each plane of a MetaMorph STK. UIC4 (33631) is a stream of records: a 16-bit id and one value per
 * plane; 0 ends it. Older files have offsets of the same values in UIC1.
 */
import { latin1 } from '../../../base/bytes.js';
import { decodeFailed, ignoreCorrupted } from '../../../base/errors.js';
import { grouped } from '../../../base/wording.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import type { RawUic1 } from './uic.js';

const UIC4 = 33631;
const STAGE_POSITION = 28;
const CHIP_OFFSET = 29;
const STAGE_LABEL = 37;
const ABSOLUTE_Z = 40;
const ABSOLUTE_Z_VALID = 41;
const CAMERA_BIN = 46;
/** Records of UIC4 that are read; there are five kinds. */
const MAX_RECORDS = 16;
const MAX_LABEL = 1024;
const WINDOW = 64 * 1024;

/** One value per plane. Lists that are missing or corrupted are `undefined`. */
export interface RawPositions {
  /** Stage positions in micrometers. */
  x?: Float64Array;
  y?: Float64Array;
  /** Focus in the unit of the Z distances; `NaN` where it is marked as invalid. */
  z?: Float64Array;
  labels?: string[];
}

/** Reads the positions of the first `count` planes. */
export function readPositions(file: TiffFile, page: TiffPage, count: number, uic1: RawUic1): RawPositions {
  const found: RawPositions = {};
  const offset = uic4Offset(file, page);
  if (offset !== undefined) ignoreCorrupted(() => readRecords(new ValueCursor(file, offset), count, found));
  for (const id of [STAGE_POSITION, STAGE_LABEL, ABSOLUTE_Z, ABSOLUTE_Z_VALID]) {
    const at = uic1.planeLists.get(id);
    // Small numbers are values of undocumented kinds, not offsets.
    if (at !== undefined && at > 8 && !has(found, id)) {
      ignoreCorrupted(() => readRecord(new ValueCursor(file, at), id, count, found));
    }
  }
  return found;
}

function has({ x, z, labels }: RawPositions, id: number): boolean {
  if (id === STAGE_POSITION) return x !== undefined;
  return id === STAGE_LABEL ? labels !== undefined : z !== undefined && id === ABSOLUTE_Z;
}

/** The value of the tag is its offset, even for one plane, where TIFF has room for the value itself. */
function uic4Offset(file: TiffFile, page: TiffPage): number | undefined {
  const tag = page.tags.get(UIC4);
  if (!tag) return undefined;
  if (tag.byteLength > 4) return tag.valueOffset;
  return ignoreCorrupted(() => new ValueCursor(file, tag.valueOffset).u32());
}

function readRecords(cursor: ValueCursor, count: number, found: RawPositions): void {
  for (let i = 0; i < MAX_RECORDS; i++) {
    const id = cursor.u16();
    if (id === 0 || !readRecord(cursor, id, count, found)) return;
  }
}

/** Returns false for a record whose size is unknown. */
function readRecord(cursor: ValueCursor, id: number, count: number, found: RawPositions): boolean {
  if (id === STAGE_POSITION) {
    const values = readRationals(cursor, 2 * count);
    found.x = values.filter((_, i) => i % 2 === 0);
    found.y = values.filter((_, i) => i % 2 === 1);
  } else if (id === STAGE_LABEL) {
    found.labels = readLabels(cursor, count);
  } else if (id === ABSOLUTE_Z) {
    found.z = readRationals(cursor, count);
  } else if (id === ABSOLUTE_Z_VALID) {
    const valid = Array.from({ length: count }, () => cursor.u32() !== 0);
    if (found.z) found.z = found.z.map((value, i) => (valid[i] ? value : Number.NaN));
  } else if (id === CHIP_OFFSET) {
    cursor.skip(16 * count);
  } else if (id === CAMERA_BIN) {
    cursor.skip(8 * count);
  } else {
    return false;
  }
  return true;
}

/** Numerators are signed: stages have negative positions. */
function readRationals(cursor: ValueCursor, count: number): Float64Array {
  if (cursor.left < 8 * count) throw decodeFailed('the positions of the planes fall outside the file');
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) values[i] = cursor.i32() / cursor.u32();
  return values;
}

function readLabels(cursor: ValueCursor, count: number): string[] {
  return Array.from({ length: count }, () => {
    const length = cursor.u32();
    if (length > MAX_LABEL)
      throw decodeFailed(`a stage label has ${grouped(length)} characters; the limit is ${grouped(MAX_LABEL)}`);
    return cursor.text(length);
  });
}

/** Reads values one after another, with a window of the file in memory. */
class ValueCursor {
  private readonly file: TiffFile;
  private offset: number;
  private window = new Uint8Array(0);
  private windowAt = 0;

  constructor(file: TiffFile, offset: number) {
    this.file = file;
    this.offset = offset;
  }

  /** Bytes up to the end of the file. */
  get left(): number {
    return Math.max(0, this.file.source.size - this.offset);
  }

  u16(): number {
    return this.take(2).getUint16(0, this.file.littleEndian);
  }

  u32(): number {
    return this.take(4).getUint32(0, this.file.littleEndian);
  }

  i32(): number {
    return this.take(4).getInt32(0, this.file.littleEndian);
  }

  /** Reads Latin-1 up to the first NUL. */
  text(length: number): string {
    const { buffer, byteOffset } = this.take(length);
    const text = latin1(new Uint8Array(buffer, byteOffset, length));
    return text.replace(/\0[\s\S]*$/, '').trim();
  }

  skip(length: number): void {
    this.offset += length;
  }

  /** @throws AcqError `decode_failed` at the end of the file */
  private take(length: number): DataView {
    const at = this.offset - this.windowAt;
    if (at < 0 || at + length > this.window.length) {
      const size = Math.max(length, Math.min(WINDOW, this.left));
      this.window = this.file.source.read(this.offset, size) as Uint8Array<ArrayBuffer>;
      this.windowAt = this.offset;
    }
    const start = this.offset - this.windowAt;
    this.offset += length;
    return new DataView(this.window.buffer, this.window.byteOffset + start, length);
  }
}
