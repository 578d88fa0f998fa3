import type { PlaneAddress } from '../../acquisition.js';
import { decodeScratch } from '../../codecs/scratch.js';
import { AcqError } from '../../errors.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import { readPageSample } from '../../tiff/read-page.js';
import type { TiffFile } from '../../tiff/types.js';
import { expectShape, type ImageShape } from './image-shape.js';
import type { ImagePages } from './pages.js';
import { type ImagePlan, imageOf } from './plan.js';
import { PlanePage } from './plane-page.js';
import { type PageStrips, StripTable } from './strips.js';
import { writingOrder } from './unwrap.js';

/** The image planes of a file. */
export class Images {
  /** Rows of every plane: those of the page, or the lines that a cut-off line scan still holds. */
  readonly rows: number;
  private readonly file: TiffFile;
  private readonly pages: ImagePages;
  private readonly plan: ImagePlan;
  private readonly shape: ImageShape;
  private readonly strips: StripTable;

  constructor(file: TiffFile, pages: ImagePages, plan: ImagePlan, shape: ImageShape) {
    this.file = file;
    this.pages = pages;
    this.plan = plan;
    this.shape = shape;
    const { scenes, T, Z } = plan;
    const listed = () => Array.from({ length: pages.count }, (_, i) => i);
    const timeFirst = scenes * T * Z === pages.count ? [() => writingOrder(scenes, T, Z)] : [];
    this.strips = new StripTable(file, pages, shape, [...timeFirst, listed]);
    this.rows = this.heldRows();
  }

  /** What the file lost at its end. */
  losses(): string[] {
    const { height } = this.shape;
    const { size } = this.file.source;
    if (this.rows < height) {
      return [`The file is cut off: it ends at byte ${size}, after ${this.rows} of ${height} lines; those are served.`];
    }
    const first = this.stored(0);
    const last = this.stored(this.pages.count - 1);
    if (!first || !last || this.shape.compression !== 1) return [];
    const reached = this.strips.wraps
      ? first.offsets.reduce((a, b) => Math.min(a, b), size) + this.pages.count * this.strips.imageBytes
      : last.offsets.reduce((end, offset, i) => Math.max(end, offset + (last.counts[i] as number)), 0);
    if (reached <= size) return [];
    return [`The file is cut off: its images need ${reached} bytes, it ends at ${size}; those behind cannot be read.`];
  }

  /** @throws AcqError `decode_failed`, `unsupported_format` */
  async read(address: PlaneAddress, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { plan, shape, file } = this;
    const { scene, channel, t, z } = address;
    const inside = scene < plan.scenes && channel < shape.channels && t < plan.T && z < plan.Z;
    if (!inside) throw new RangeError(`no plane ${JSON.stringify(address)}`);
    const image = imageOf(plan, address);
    const page = file.page(this.pages.page(image));
    expectShape(file, page, shape);
    const strips = await this.strips.of(image, page, channel, signal);
    const view = new PlanePage(file, page, {
      ...strips,
      samples: shape.interleaved ? shape.channels : 1,
      bits: shape.bits[channel] as number,
      rowsPerStrip: shape.rowsPerStrip,
      rows: this.rows,
    });
    await readPageSample(file, view, shape.interleaved ? channel : 0, target, signal);
  }

  /** Bytes that reading a plane takes beside its target. */
  get scratchBytes(): number {
    return this.shape.compression === 1 ? 0 : decodeScratch(this.strips.rawBytes(0), 'bytes');
  }

  /** A line scan is worth having up to where the file ends; frames are whole or not there. */
  private heldRows(): number {
    const { height, strips, compression, interleaved } = this.shape;
    const stored = this.stored(0);
    const candidate = this.plan.rows === 'T' && this.pages.count === 1 && strips === 1 && compression === 1;
    if (!stored || !candidate || this.strips.wraps) return height;
    const channels = interleaved ? stored.offsets.slice(0, 1) : stored.offsets;
    const rows = channels.map((offset, i) => {
      const perRow = this.strips.rawBytes(i) / height;
      return Math.min(height, Math.floor((this.file.source.size - offset) / perRow));
    });
    const held = rows.reduce((a, b) => Math.min(a, b), height);
    return held >= 1 ? held : height;
  }

  /** Strips as an image's own page has them; `undefined` for a damaged one, which its reading will name. */
  private stored(image: number): PageStrips | undefined {
    try {
      return this.strips.stored(this.file.page(this.pages.page(image)));
    } catch (error) {
      if (error instanceof AcqError) return undefined;
      throw error;
    }
  }
}
