import { AcqError } from '../../base/errors.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import { decodeScratch } from '../../codecs/scratch.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { readPageSamples } from '../../tiff/read-page.js';
import type { TiffFile } from '../../tiff/types.js';
import { expectShape, type ImageShape } from './image-shape.js';
import type { ImagePages } from './pages.js';
import { type ImagePlan, imageIndex } from './plan.js';
import { PlanePage } from './plane-page.js';
import { type PageStrips, StripTable } from './strips.js';
import { writingOrder } from './unwrap.js';

/** Reads the planes of a file. */
export class LsmPlaneReader {
  /** Rows of every plane: those of the page, or the lines that a truncated line scan still contains. */
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
    const pageOrder = () => Array.from({ length: pages.count }, (_, i) => i);
    const timeFirst = scenes * T * Z === pages.count ? [() => writingOrder(scenes, T, Z)] : [];
    this.strips = new StripTable(file, pages, shape, [...timeFirst, pageOrder]);
    this.rows = this.countRows();
  }

  /** Returns a warning when the file is truncated. */
  findLosses(): string[] {
    const { height } = this.shape;
    const { size } = this.file.source;
    if (this.rows < height) {
      const lines = `${grouped(this.rows)} of ${plural(height, 'line')}`;
      return [asCorrupted(`The file is truncated at byte ${grouped(size)}: it contains only ${lines}.`)];
    }
    const first = this.listed(0);
    const last = this.listed(this.pages.count - 1);
    if (!first || !last || this.shape.compression !== 1) return [];
    const end = this.strips.wraps
      ? first.offsets.reduce((a, b) => Math.min(a, b), size) + this.pages.count * this.strips.imageBytes
      : last.offsets.reduce((max, offset, i) => Math.max(max, offset + last.counts[i]!), 0);
    if (end <= size) return [];
    return [
      asCorrupted(
        `The file is truncated at byte ${grouped(size)}, but its images take ${plural(end, 'byte')}. ` +
          'Images after the end of the file cannot be read.',
      ),
    ];
  }

  /**
   * Reads channels of a plane, each into its target; interleaved ones in one pass of the file.
   * @throws AcqError `decode_failed`, `unsupported_format`
   */
  async read(
    plane: Omit<PlaneAddress, 'channel'>,
    channels: readonly number[],
    targets: readonly PlaneTarget[],
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.shape.interleaved) await this.readSamples(plane, channels, targets, signal);
    else for (const [i, channel] of channels.entries()) await this.readSamples(plane, [channel], [targets[i]!], signal);
  }

  private async readSamples(
    plane: Omit<PlaneAddress, 'channel'>,
    channels: readonly number[],
    targets: readonly PlaneTarget[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { plan, shape, file } = this;
    const { scene, t, z } = plane;
    const channel = channels.reduce((max, index) => Math.max(max, index), 0);
    const exists = scene < plan.scenes && channel < shape.channels && t < plan.T && z < plan.Z;
    if (!exists) throw new RangeError(`there is no plane ${JSON.stringify({ ...plane, channel })}`);
    const image = imageIndex(plan, plane);
    const page = file.page(this.pages.page(image));
    expectShape(page, shape);
    const strips = await this.strips.locate(image, page, channel, signal);
    const view = new PlanePage(file, page, {
      ...strips,
      samples: shape.interleaved ? shape.channels : 1,
      bits: shape.bits[channel]!,
      rowsPerStrip: shape.rowsPerStrip,
      rows: this.rows,
    });
    await readPageSamples(file, view, shape.interleaved ? channels : [0], targets, signal);
  }

  /** Bytes that reading a plane takes beside its target. */
  get scratchBytes(): number {
    return this.shape.compression === 1 ? 0 : decodeScratch(this.strips.rawBytes(0), 'bytes');
  }

  /** Counts the lines in the file, which matters for a truncated line scan. Frames are read whole or not at all. */
  private countRows(): number {
    const { height, strips, compression, interleaved } = this.shape;
    const listed = this.listed(0);
    const isLineScan = this.plan.rows === 'T' && this.pages.count === 1 && strips === 1 && compression === 1;
    if (!listed || !isLineScan || this.strips.wraps) return height;
    const channels = interleaved ? listed.offsets.slice(0, 1) : listed.offsets;
    const rows = channels.map((offset, i) => {
      const perRow = this.strips.rawBytes(i) / height;
      return Math.min(height, Math.floor((this.file.source.size - offset) / perRow));
    });
    const available = rows.reduce((a, b) => Math.min(a, b), height);
    return available >= 1 ? available : height;
  }

  /** Returns the strips that the page of an image lists; `undefined` when the page is corrupted. */
  private listed(image: number): PageStrips | undefined {
    try {
      return this.strips.listed(this.file.page(this.pages.page(image)));
    } catch (error) {
      if (error instanceof AcqError) return undefined;
      throw error;
    }
  }
}
