import { AcqError, decodeFailed } from '../../errors.js';
import { Pace } from '../../samples/pace.js';
import { nextAfter } from '../../tiff/chunk-table.js';
import { pageLabel } from '../../tiff/page-label.js';
import { TAG } from '../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';
import type { ImageShape } from './image-shape.js';
import type { ImagePages } from './pages.js';
import { unwrapOffsets } from './unwrap.js';

/** Offsets in a classic TIFF have 32 bits. */
const WRAP = 2 ** 32;

/** Where the strips of an image really are. */
export interface PageStrips {
  offsets: number[];
  /** Stored bytes of each. */
  counts: number[];
}

/**
 * True places of strips. Below 4 GB, uncompressed, a page tells them itself. Else every page has to be looked at: to
 * unwrap offsets, and because the byte counts of compressed strips are those of the pixels.
 */
export class StripTable {
  private readonly file: TiffFile;
  private readonly pages: ImagePages;
  private readonly shape: ImageShape;
  private readonly orders: readonly (() => Iterable<number>)[];
  private readonly perImage: number;
  private whole: { offsets: Float64Array; sorted: Float64Array } | undefined;

  /** @param orders in which the images may have been written, the most likely one first */
  constructor(file: TiffFile, pages: ImagePages, shape: ImageShape, orders: readonly (() => Iterable<number>)[]) {
    this.file = file;
    this.pages = pages;
    this.shape = shape;
    this.orders = orders;
    this.perImage = shape.strips * (shape.interleaved ? 1 : shape.channels);
  }

  /**
   * The strips of a channel, or of all interleaved ones.
   * @throws AcqError `decode_failed` for an image that was never written or whose place cannot be told
   */
  async of(image: number, page: TiffPage, channel: number, signal?: AbortSignal): Promise<PageStrips> {
    const all = await this.ofImage(image, page, signal);
    const first = this.shape.interleaved ? 0 : channel * this.shape.strips;
    const end = first + this.shape.strips;
    for (let i = first; i < end; i++) this.check(page, all, i);
    return { offsets: all.offsets.slice(first, end), counts: all.counts.slice(first, end) };
  }

  private async ofImage(image: number, page: TiffPage, signal: AbortSignal | undefined): Promise<PageStrips> {
    const plain = this.shape.compression === 1;
    if (plain && !this.wraps) return this.stored(page);
    this.whole ??= await this.readAll(signal);
    const { offsets, sorted } = this.whole;
    const first = image * this.perImage;
    const own = [...offsets.subarray(first, first + this.perImage)];
    const { size } = this.file.source;
    const counts = own.map((offset, i) => {
      const raw = this.rawBytes(i);
      // LZW of noise takes half as much again as the pixels.
      return plain ? raw : Math.max(0, Math.min(2 * raw + 1024, nextAfter(sorted, offset, size) - offset));
    });
    return { offsets: own, counts };
  }

  /** Bytes of the pixels of strip `index` of a page. */
  rawBytes(index: number): number {
    const { width, height, channels, bits, interleaved, strips, rowsPerStrip } = this.shape;
    const rows = Math.min(rowsPerStrip, height - (index % strips) * rowsPerStrip);
    const channel = interleaved ? 0 : Math.floor(index / strips);
    return (rows * width * (interleaved ? channels : 1) * (bits[channel] as number)) / 8;
  }

  /** Bytes of the pixels of an image. */
  get imageBytes(): number {
    const { width, height, bits } = this.shape;
    return (width * height * bits.reduce((sum, one) => sum + one, 0)) / 8;
  }

  /** Also of a shortened copy of a large file, whose offsets are wrapped all the same. */
  get wraps(): boolean {
    const { size } = this.file.source;
    return size >= WRAP || (this.shape.compression === 1 && this.pages.count * this.imageBytes >= WRAP);
  }

  /** What the page itself says. */
  stored(page: TiffPage): PageStrips {
    const offsets = offsetsOf(page);
    return { offsets, counts: offsets.map((_, i) => this.rawBytes(i)) };
  }

  private check(page: TiffPage, { offsets, counts }: PageStrips, index: number): void {
    const offset = offsets[index] ?? 0;
    const next = offsets[index + 1];
    const where = () => pageLabel(this.file, page);
    if (offset === 0) throw decodeFailed(`${where()}: strip ${index + 1} was prepared but never written`);
    if (next !== undefined && next >= offset && offset + (counts[index] as number) > next) {
      throw decodeFailed(`${where()}: strips ${index + 1} and ${index + 2} overlap (offsets ${offset} and ${next})`);
    }
  }

  /** Offsets of all images, read once. */
  private async readAll(signal: AbortSignal | undefined): Promise<{ offsets: Float64Array; sorted: Float64Array }> {
    const { count } = this.pages;
    const total = count * this.perImage;
    // Every strip is listed in four bytes of its own.
    if (4 * total > this.file.source.size) {
      throw decodeFailed(`${this.file.source.name}: claims ${total} strips, more than it can list; it is damaged`);
    }
    const stored = new Float64Array(total);
    const thumbnails = new Float64Array(count);
    const pace = new Pace(signal);
    for (let image = 0; image < count; image++) {
      stored.set(this.listed(this.pages.page(image)).slice(0, this.perImage), image * this.perImage);
      const thumbnail = this.pages.thumbnail(image);
      if (thumbnail !== undefined) thumbnails[image] = this.listed(thumbnail)[0] ?? 0;
      if (pace.due) await pace.rest();
    }
    const offsets = this.wraps ? this.unwrap(stored, thumbnails) : stored;
    const all = new Float64Array(total + count);
    all.set(offsets);
    if (!this.wraps) all.set(thumbnails, total);
    return { offsets, sorted: all.sort() };
  }

  /** Offsets of a page among all others; a damaged one is none of theirs, its own reading names it. */
  private listed(index: number): number[] {
    try {
      return offsetsOf(this.file.page(index));
    } catch (error) {
      if (error instanceof AcqError) return [];
      throw error;
    }
  }

  /** The first order in which no strip runs into the next one; thumbnails that do not fit in are left out. */
  private unwrap(stored: Float64Array, thumbnails: Float64Array): Float64Array {
    for (const between of [thumbnails, new Float64Array(thumbnails.length)]) {
      for (const order of this.orders) {
        const offsets = this.unwrapAlong(order(), stored, between);
        if (offsets) return offsets;
      }
    }
    throw decodeFailed(
      `${this.file.source.name}: holds more than 4 GB, and the order in which its images were written cannot be told; ` +
        'save it as CZI with the software of the microscope',
    );
  }

  private unwrapAlong(
    order: Iterable<number>,
    stored: Float64Array,
    thumbnails: Float64Array,
  ): Float64Array | undefined {
    const { perImage } = this;
    const first = thumbnails[0] as number;
    const thumbnailFirst = first > 0 && first < (stored[0] as number);
    const places: number[] = [];
    const walked: number[] = [];
    const step = (place: number, offset: number) => {
      if (offset === 0) return;
      places.push(place);
      walked.push(offset);
    };
    for (const image of order) {
      if (thumbnailFirst) step(-1, thumbnails[image] as number);
      for (let i = image * perImage; i < (image + 1) * perImage; i++) step(i, stored[i] as number);
      if (!thumbnailFirst) step(-1, thumbnails[image] as number);
    }
    const unwrapped = unwrapOffsets(walked);
    const offsets = new Float64Array(stored.length);
    const plain = this.shape.compression === 1;
    for (const [i, place] of places.entries()) {
      if (place < 0) continue;
      const offset = unwrapped[i] as number;
      const next = unwrapped[i + 1] ?? Number.POSITIVE_INFINITY;
      if (plain && offset + this.rawBytes(place % perImage) > next) return undefined;
      offsets[place] = offset;
    }
    return offsets;
  }
}

/** Offsets as a page has them; 0 for what is no place in a file. */
function offsetsOf(page: TiffPage): number[] {
  const listed = page.numbers(TAG.stripOffsets) ?? [];
  return listed.map((offset) => (Number.isSafeInteger(offset) && offset >= 8 ? offset : 0));
}
