import { AcqError, decodeFailed } from '../../base/errors.js';
import { grouped, plural } from '../../base/wording.js';
import { Pace } from '../../model/samples/pace.js';
import { nextAfter } from '../../tiff/chunk-table.js';
import { pageLabel } from '../../tiff/page-label.js';
import { TAG } from '../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import type { ImageShape } from './image-shape.js';
import type { ImagePages } from './pages.js';
import { unwrapOffsets } from './unwrap.js';

/** Offsets in a classic TIFF have 32 bits. */
const WRAP = 2 ** 32;

/** The actual location of the strips of an image. */
export interface PageStrips {
  offsets: number[];
  /** Stored bytes of each. */
  counts: number[];
}

/**
 * Finds the actual offsets and sizes of strips. Uncompressed below 4 GB, the tags of a page are right. Otherwise all pages
 * are read, to unwrap offsets and because the byte counts of compressed strips are those of the decoded pixels.
 */
export class StripTable {
  private readonly file: TiffFile;
  private readonly pages: ImagePages;
  private readonly shape: ImageShape;
  private readonly orders: readonly (() => Iterable<number>)[];
  private readonly perImage: number;
  private all: { offsets: Float64Array; sorted: Float64Array } | undefined;

  /** @param orders possible orders in which the images were written, the most likely one first */
  constructor(file: TiffFile, pages: ImagePages, shape: ImageShape, orders: readonly (() => Iterable<number>)[]) {
    this.file = file;
    this.pages = pages;
    this.shape = shape;
    this.orders = orders;
    this.perImage = shape.strips * (shape.interleaved ? 1 : shape.channels);
  }

  /**
   * Returns the strips of a channel, or of all interleaved channels.
   * @throws AcqError `decode_failed` for an image that was never written or cannot be located
   */
  async locate(image: number, page: TiffPage, channel: number, signal?: AbortSignal): Promise<PageStrips> {
    const all = await this.locateImage(image, page, signal);
    const first = this.shape.interleaved ? 0 : channel * this.shape.strips;
    const end = first + this.shape.strips;
    for (let i = first; i < end; i++) this.check(page, all, i);
    return { offsets: all.offsets.slice(first, end), counts: all.counts.slice(first, end) };
  }

  private async locateImage(image: number, page: TiffPage, signal: AbortSignal | undefined): Promise<PageStrips> {
    const isRaw = this.shape.compression === 1;
    if (isRaw && !this.wraps) return this.listed(page);
    this.all ??= await this.readAll(signal);
    const { offsets, sorted } = this.all;
    const first = image * this.perImage;
    const strips = [...offsets.subarray(first, first + this.perImage)];
    const { size } = this.file.source;
    const counts = strips.map((offset, i) => {
      const raw = this.rawBytes(i);
      // LZW makes noise half as large again.
      return isRaw ? raw : Math.max(0, Math.min(2 * raw + 1024, nextAfter(sorted, offset, size) - offset));
    });
    return { offsets: strips, counts };
  }

  /** Returns the size of strip `index` of a page without compression, in bytes. */
  rawBytes(index: number): number {
    const { width, height, channels, bits, interleaved, strips, rowsPerStrip } = this.shape;
    const rows = Math.min(rowsPerStrip, height - (index % strips) * rowsPerStrip);
    const channel = interleaved ? 0 : Math.floor(index / strips);
    return (rows * width * (interleaved ? channels : 1) * bits[channel]!) / 8;
  }

  /** Size of an image without compression, in bytes. */
  get imageBytes(): number {
    const { width, height, bits } = this.shape;
    return (width * height * bits.reduce((sum, bitsOfChannel) => sum + bitsOfChannel, 0)) / 8;
  }

  /** True when offsets are stored modulo 2³². A truncated copy of a large file has such offsets, too. */
  get wraps(): boolean {
    const { size } = this.file.source;
    return size >= WRAP || (this.shape.compression === 1 && this.pages.count * this.imageBytes >= WRAP);
  }

  /** Returns the strips according to the tags of the page. */
  listed(page: TiffPage): PageStrips {
    const offsets = readOffsets(page);
    return { offsets, counts: offsets.map((_, i) => this.rawBytes(i)) };
  }

  private check(page: TiffPage, { offsets, counts }: PageStrips, index: number): void {
    const offset = offsets[index] ?? 0;
    const next = offsets[index + 1];
    const where = () => pageLabel(page);
    if (offset === 0) throw decodeFailed(`${where()}: strip ${index + 1} was never written`);
    if (next !== undefined && next >= offset && offset + counts[index]! > next) {
      throw decodeFailed(
        `${where()}: strips ${index + 1} and ${index + 2} overlap (offsets ${grouped(offset)} and ${grouped(next)})`,
      );
    }
  }

  /** Reads the offsets of all images. */
  private async readAll(signal: AbortSignal | undefined): Promise<{ offsets: Float64Array; sorted: Float64Array }> {
    const { count } = this.pages;
    const total = count * this.perImage;
    // Each strip is listed in at least four bytes.
    if (4 * total > this.file.source.size) {
      const { size } = this.file.source;
      throw decodeFailed(
        `a list of ${grouped(total)} strips does not fit in ${plural(size, 'byte')}; the file is corrupted`,
      );
    }
    const stored = new Float64Array(total);
    const thumbnails = new Float64Array(count);
    const pace = new Pace(signal);
    for (let image = 0; image < count; image++) {
      stored.set(this.readOffsetsOf(this.pages.page(image)).slice(0, this.perImage), image * this.perImage);
      const thumbnail = this.pages.thumbnail(image);
      if (thumbnail !== undefined) thumbnails[image] = this.readOffsetsOf(thumbnail)[0] ?? 0;
      if (pace.due) await pace.rest();
    }
    const offsets = this.wraps ? this.unwrap(stored, thumbnails) : stored;
    const all = new Float64Array(total + count);
    all.set(offsets);
    if (!this.wraps) all.set(thumbnails, total);
    return { offsets, sorted: all.sort() };
  }

  /** Returns no offsets for a corrupted page: the error belongs to reading that page, not to reading others. */
  private readOffsetsOf(index: number): number[] {
    try {
      return readOffsets(this.file.page(index));
    } catch (error) {
      if (error instanceof AcqError) return [];
      throw error;
    }
  }

  /** Uses the first order in which no strip overlaps the next one, with the thumbnails in between or without them. */
  private unwrap(stored: Float64Array, thumbnails: Float64Array): Float64Array {
    for (const between of [thumbnails, new Float64Array(thumbnails.length)]) {
      for (const order of this.orders) {
        const offsets = this.unwrapAlong(order(), stored, between);
        if (offsets) return offsets;
      }
    }
    throw decodeFailed(
      'the file is larger than 4 GB, and the order in which its images were written is unknown. ' +
        'Save it as CZI in the microscope software.',
    );
  }

  private unwrapAlong(
    order: Iterable<number>,
    stored: Float64Array,
    thumbnails: Float64Array,
  ): Float64Array | undefined {
    const { perImage } = this;
    const first = thumbnails[0]!;
    const isThumbnailFirst = first > 0 && first < stored[0]!;
    /** Index of each strip in `stored`; -1 for thumbnails. */
    const indices: number[] = [];
    const written: number[] = [];
    const append = (index: number, offset: number) => {
      if (offset === 0) return;
      indices.push(index);
      written.push(offset);
    };
    for (const image of order) {
      if (isThumbnailFirst) append(-1, thumbnails[image]!);
      for (let i = image * perImage; i < (image + 1) * perImage; i++) append(i, stored[i]!);
      if (!isThumbnailFirst) append(-1, thumbnails[image]!);
    }
    const unwrapped = unwrapOffsets(written);
    const offsets = new Float64Array(stored.length);
    const isRaw = this.shape.compression === 1;
    for (const [i, index] of indices.entries()) {
      if (index < 0) continue;
      const offset = unwrapped[i]!;
      const next = unwrapped[i + 1] ?? Number.POSITIVE_INFINITY;
      if (isRaw && offset + this.rawBytes(index % perImage) > next) return undefined;
      offsets[index] = offset;
    }
    return offsets;
  }
}

/** Returns the strip offsets of a page, with 0 for invalid ones. */
function readOffsets(page: TiffPage): number[] {
  const offsets = page.numbers(TAG.stripOffsets) ?? [];
  return offsets.map((offset) => (Number.isSafeInteger(offset) && offset >= 8 ? offset : 0));
}
