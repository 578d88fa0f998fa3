/** Writes the pages of a TIFF or BigTIFF file: samples first, then all IFDs, so that a file is written in one pass. */
import type { SampleArray } from '../../model/samples/types.js';
import { encodeIfd, LONG, LONG8, numbers, pointer, rational, SHORT, type TiffField, text } from './tiff-fields.js';
import type { ByteSink } from './types.js';

export interface PageToWrite {
  rows: number;
  columns: number;
  /** 1 unsigned, 2 signed, 3 float. */
  sampleFormat: 1 | 2 | 3;
  bits: number;
  /** Text of the page. */
  description?: string;
  /** Pixels per centimeter of the axes that are lengths. */
  resolution?: { x?: number; y?: number };
}

/** Returns a zlib stream. */
export type Deflate = (bytes: Uint8Array) => Uint8Array;

interface WrittenPage {
  page: PageToWrite;
  rowsPerStrip: number;
  offsets: number[];
  byteCounts: number[];
}

/** Offsets of classic TIFF have 32 bits. Some room is left for the IFDs. */
const MAX_CLASSIC_BYTES = 2 ** 32 - 2 ** 24;
/** Bytes of a strip before compression: a reader of some rows need not read the whole plane. */
const STRIP_BYTES = 2 ** 20;
export const SOFTWARE = 'acquisition-store';

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
  private readonly sink: ByteSink;
  private readonly isBig: boolean;
  private readonly deflate: Deflate | undefined;
  private readonly pages: WrittenPage[] = [];

  /** @param deflate compresses a strip; without it, strips are stored as they are */
  constructor(sink: ByteSink, { isBig, deflate }: { isBig: boolean; deflate?: Deflate | undefined }) {
    this.sink = sink;
    this.isBig = isBig;
    this.deflate = deflate;
    // `II`, the version, and for BigTIFF the size of an offset; then a place for the first IFD.
    const header = new Uint8Array(isBig ? 16 : 8);
    header.set(isBig ? [0x49, 0x49, 43, 0, 8] : [0x49, 0x49, 42]);
    sink.write(header);
  }

  /** Writes the samples of a page. */
  add(page: PageToWrite, samples: SampleArray): void {
    const rowBytes = page.columns * samples.BYTES_PER_ELEMENT;
    const rowsPerStrip = Math.min(page.rows, Math.max(1, Math.floor(STRIP_BYTES / rowBytes)));
    const written: WrittenPage = { page, rowsPerStrip, offsets: [], byteCounts: [] };
    for (let row = 0; row < page.rows; row += rowsPerStrip) {
      const { buffer, byteOffset, byteLength } = samples.subarray(
        row * page.columns,
        (row + rowsPerStrip) * page.columns,
      );
      const strip = new Uint8Array(buffer, byteOffset, byteLength);
      const bytes = this.deflate?.(strip) ?? strip;
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
      const next = i === this.pages.length - 1 ? 0 : 'after';
      this.sink.write(encodeIfd(this.fieldsOf(page), { isBig: this.isBig, start: this.sink.length, next }));
    });
    this.sink.patch(this.isBig ? 8 : 4, pointer(first, this.isBig));
  }

  private fieldsOf({ page, rowsPerStrip, offsets, byteCounts }: WrittenPage): TiffField[] {
    const { description, resolution } = page;
    const offsetType = this.isBig ? LONG8 : LONG;
    return [
      numbers(256, LONG, [page.columns]),
      numbers(257, LONG, [page.rows]),
      numbers(258, SHORT, [page.bits]),
      numbers(259, SHORT, [this.deflate ? COMPRESSION.deflate : COMPRESSION.none]),
      numbers(262, SHORT, [BLACK_IS_ZERO]),
      ...(description === undefined ? [] : [text(270, description)]),
      numbers(273, offsetType, offsets),
      numbers(277, SHORT, [1]),
      numbers(278, LONG, [rowsPerStrip]),
      numbers(279, LONG, byteCounts),
      ...(resolution?.x === undefined ? [] : [rational(282, resolution.x)]),
      ...(resolution?.y === undefined ? [] : [rational(283, resolution.y)]),
      ...(resolution ? [numbers(296, SHORT, [CENTIMETER])] : []),
      text(305, SOFTWARE),
      numbers(339, SHORT, [page.sampleFormat]),
    ];
  }

  /** IFDs begin at even offsets. */
  private align(): void {
    if (this.sink.length % 2 === 1) this.sink.write(new Uint8Array(1));
  }
}
