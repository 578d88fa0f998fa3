/** Writes the pages of a TIFF or BigTIFF file: samples first, then all IFDs, so that a file is written in one pass. */
import { deflateSync } from 'node:zlib';
import type { SampleArray } from '../samples/types.js';
import type { FileSink } from './sink.js';

export interface TiffPage {
  rows: number;
  columns: number;
  /** 1 unsigned, 2 signed, 3 float. */
  sampleFormat: 1 | 2 | 3;
  bits: number;
  /** Text of the page. */
  description?: string;
  /** Pixels per centimeter. */
  resolution?: { x: number; y: number };
}

interface WrittenPage {
  page: TiffPage;
  rowsPerStrip: number;
  offsets: number[];
  byteCounts: number[];
}

/** Offsets of classic TIFF have 32 bits. Some room is left for the IFDs. */
const MAX_CLASSIC_BYTES = 2 ** 32 - 2 ** 24;
/** Bytes of a strip before compression: a reader of some rows need not read the whole plane. */
const STRIP_BYTES = 2 ** 20;
const SOFTWARE = 'acquisition-store';

const ASCII = 2;
const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;
const LONG8 = 16;
const FIELD_BYTES: Record<number, number> = { [ASCII]: 1, [SHORT]: 2, [LONG]: 4, [RATIONAL]: 8, [LONG8]: 8 };

const COMPRESSION = { none: 1, deflate: 8 } as const;
const BLACK_IS_ZERO = 1;
const CENTIMETER = 3;
/** Bytes that an IFD and the offsets of a plane take at most, besides those of its strips. */
const PAGE_BYTES = 1_024;
const STRIP_ENTRY_BYTES = 16;

/** True when a file with these planes needs BigTIFF, even if compression makes it smaller. */
export function needsBigTiff(planes: Iterable<{ count: number; bytes: number }>, descriptionBytes: number): boolean {
  let total = descriptionBytes;
  for (const { count, bytes } of planes) {
    // Deflate may add a few bytes to each strip.
    const strips = Math.ceil(bytes / STRIP_BYTES) + 1;
    total += count * (bytes + strips * (STRIP_ENTRY_BYTES + 512) + PAGE_BYTES);
  }
  return total > MAX_CLASSIC_BYTES;
}

/** A file with one page for each plane, each with one sample per pixel, in the byte order of this machine. */
export class TiffWriter {
  private readonly sink: FileSink;
  private readonly isBig: boolean;
  private readonly isCompressed: boolean;
  private readonly pages: WrittenPage[] = [];

  constructor(sink: FileSink, { isBig, isCompressed }: { isBig: boolean; isCompressed: boolean }) {
    this.sink = sink;
    this.isBig = isBig;
    this.isCompressed = isCompressed;
    const header = Buffer.alloc(isBig ? 16 : 8);
    header.write('II', 'latin1');
    header.writeUInt16LE(isBig ? 43 : 42, 2);
    if (isBig) header.writeUInt16LE(8, 4);
    sink.write(header);
  }

  /** Writes the samples of a page. */
  add(page: TiffPage, samples: SampleArray): void {
    const rowBytes = page.columns * samples.BYTES_PER_ELEMENT;
    const rowsPerStrip = Math.min(page.rows, Math.max(1, Math.floor(STRIP_BYTES / rowBytes)));
    const written: WrittenPage = { page, rowsPerStrip, offsets: [], byteCounts: [] };
    for (let row = 0; row < page.rows; row += rowsPerStrip) {
      const strip = samples.subarray(row * page.columns, (row + rowsPerStrip) * page.columns);
      const bytes = this.isCompressed ? deflateSync(strip) : strip;
      written.offsets.push(this.sink.length);
      written.byteCounts.push(bytes.byteLength);
      this.sink.write(bytes);
    }
    this.pages.push(written);
  }

  /** Writes the IFDs, one after the other, and then where the first one is. */
  finish(): void {
    this.align();
    const first = this.sink.length;
    this.pages.forEach((page, i) => {
      this.writeIfd(page, i === this.pages.length - 1);
    });
    this.sink.patch(this.isBig ? 8 : 4, this.pointer(first));
  }

  private writeIfd(written: WrittenPage, isLast: boolean): void {
    const fields = this.fieldsOf(written);
    const [countBytes, entryBytes, inline] = this.isBig ? [8, 20, 8] : [2, 12, 4];
    const tableBytes = countBytes + fields.length * entryBytes + inline;
    const start = this.sink.length;
    const table = Buffer.alloc(tableBytes);
    const outside: Uint8Array[] = [];
    let end = start + tableBytes;
    if (this.isBig) table.writeBigUInt64LE(BigInt(fields.length), 0);
    else table.writeUInt16LE(fields.length, 0);
    fields.forEach(({ tag, type, bytes }, i) => {
      const at = countBytes + i * entryBytes;
      table.writeUInt16LE(tag, at);
      table.writeUInt16LE(type, at + 2);
      const count = bytes.length / FIELD_BYTES[type]!;
      if (this.isBig) table.writeBigUInt64LE(BigInt(count), at + 4);
      else table.writeUInt32LE(count, at + 4);
      const valueAt = at + entryBytes - inline;
      if (bytes.length <= inline) {
        table.set(bytes, valueAt);
        return;
      }
      table.set(this.pointer(end), valueAt);
      const padded = padToEven(bytes);
      outside.push(padded);
      end += padded.length;
    });
    // Entries of BigTIFF need not be aligned, but their values should be: all parts have even lengths.
    table.set(this.pointer(isLast ? 0 : end), tableBytes - inline);
    this.sink.write(Buffer.concat([table, ...outside]));
  }

  /** Returns the fields of a page by ascending tag. */
  private fieldsOf({ page, rowsPerStrip, offsets, byteCounts }: WrittenPage) {
    const { description, resolution } = page;
    const offsetType = this.isBig ? LONG8 : LONG;
    return [
      field(256, LONG, [page.columns]),
      field(257, LONG, [page.rows]),
      field(258, SHORT, [page.bits]),
      field(259, SHORT, [this.isCompressed ? COMPRESSION.deflate : COMPRESSION.none]),
      field(262, SHORT, [BLACK_IS_ZERO]),
      ...(description === undefined ? [] : [{ tag: 270, type: ASCII, bytes: Buffer.from(`${description}\0`) }]),
      field(273, offsetType, offsets),
      field(277, SHORT, [1]),
      field(278, LONG, [rowsPerStrip]),
      field(279, LONG, byteCounts),
      ...(resolution
        ? [
            field(282, RATIONAL, toRational(resolution.x)),
            field(283, RATIONAL, toRational(resolution.y)),
            field(296, SHORT, [CENTIMETER]),
          ]
        : []),
      { tag: 305, type: ASCII, bytes: Buffer.from(`${SOFTWARE}\0`) },
      field(339, SHORT, [page.sampleFormat]),
    ].sort((a, b) => a.tag - b.tag);
  }

  private pointer(offset: number): Buffer {
    const bytes = Buffer.alloc(this.isBig ? 8 : 4);
    if (this.isBig) bytes.writeBigUInt64LE(BigInt(offset));
    else bytes.writeUInt32LE(offset);
    return bytes;
  }

  /** IFDs begin at even offsets. */
  private align(): void {
    if (this.sink.length % 2 === 1) this.sink.write(new Uint8Array(1));
  }
}

function field(tag: number, type: number, values: readonly number[]): { tag: number; type: number; bytes: Uint8Array } {
  if (type === LONG8) return { tag, type, bytes: toBytes(BigUint64Array.from(values, BigInt)) };
  if (type === SHORT) return { tag, type, bytes: toBytes(Uint16Array.from(values)) };
  return { tag, type, bytes: toBytes(Uint32Array.from(values)) };
}

/** Typed arrays are little-endian on every machine that this program runs on. */
function toBytes(values: Uint16Array | Uint32Array | BigUint64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** Returns numerator and denominator, each of 32 bits, with about nine digits. */
function toRational(value: number): [number, number] {
  const denominator = 10 ** Math.max(0, Math.min(9, 9 - Math.ceil(Math.log10(value))));
  return [Math.min(2 ** 32 - 1, Math.max(1, Math.round(value * denominator))), denominator];
}

function padToEven(bytes: Uint8Array): Uint8Array {
  return bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, new Uint8Array(1)]);
}
