import { buildLayout } from '../../tiff/layout.js';
import { FIELD, TAG } from '../../tiff/tags.js';
import type { PageLayout, TiffFile, TiffPage, TiffTag } from '../../tiff/types.js';

/** What the tags of the page get wrong or lack. */
export interface TrueShape {
  /** Actual offsets and stored lengths of the strips, from top to bottom. */
  offsets: readonly number[];
  counts: readonly number[];
  /** Interleaved samples; 1 for a channel with its own strips. */
  samples: number;
  /** 8, 16 or 32. */
  bits: number;
  rowsPerStrip: number;
  /** Rows that can be read; fewer than the tags say when the file is truncated. */
  rows: number;
}

/** ImageDepth of SGI. */
const IMAGE_DEPTH = 32997;

/** Tags without a meaning in LSM files, where samples are always intensities in strips. */
const IGNORED = new Set<number>([
  TAG.subfileType,
  TAG.fillOrder,
  TAG.tileWidth,
  TAG.tileLength,
  TAG.tileOffsets,
  TAG.tileByteCounts,
  TAG.yCbCrSubSampling,
  IMAGE_DEPTH,
]);

/** Presents one channel of a page, or all its interleaved samples, as a page that follows TIFF 6.0. */
export class PlanePage implements TiffPage {
  readonly index: number;
  readonly ifdOffset: number;
  readonly nextIfdOffset: number;
  readonly tags: ReadonlyMap<number, TiffTag>;
  readonly lostTags: ReadonlySet<number>;
  private readonly file: TiffFile;
  private readonly page: TiffPage;
  private readonly replaced: ReadonlyMap<number, readonly number[]>;
  private checkedLayout: PageLayout | undefined;

  constructor(file: TiffFile, page: TiffPage, shape: TrueShape) {
    this.file = file;
    this.page = page;
    this.index = page.index;
    this.ifdOffset = page.ifdOffset;
    this.nextIfdOffset = page.nextIfdOffset;
    this.lostTags = page.lostTags;
    const compressed = (page.number(TAG.compression) ?? 1) !== 1;
    this.replaced = new Map<number, readonly number[]>([
      [TAG.imageLength, [shape.rows]],
      [TAG.bitsPerSample, new Array<number>(shape.samples).fill(shape.bits)],
      [TAG.photometric, [1]],
      [TAG.stripOffsets, shape.offsets],
      [TAG.samplesPerPixel, [shape.samples]],
      [TAG.rowsPerStrip, [shape.rowsPerStrip]],
      [TAG.stripByteCounts, shape.counts],
      [TAG.planarConfiguration, [1]],
      // Old writers set a predictor for uncompressed samples, which have none.
      [TAG.predictor, [compressed ? (page.number(TAG.predictor) ?? 1) : 1]],
      // 32 bits are floats, regardless of SampleFormat.
      [TAG.sampleFormat, new Array<number>(shape.samples).fill(shape.bits === 32 ? 3 : 1)],
    ]);
    const tags = new Map([...page.tags].filter(([code]) => !IGNORED.has(code)));
    for (const code of [TAG.stripOffsets, TAG.stripByteCounts]) tags.set(code, longTag(code, shape.offsets.length));
    this.tags = tags;
  }

  /** @throws AcqError as `TiffPage.layout` */
  get layout(): PageLayout {
    this.checkedLayout ??= buildLayout(this.file, this);
    return this.checkedLayout;
  }

  numbers(code: number): number[] | undefined {
    if (IGNORED.has(code)) return undefined;
    const replaced = this.replaced.get(code);
    return replaced ? [...replaced] : this.page.numbers(code);
  }

  number(code: number): number | undefined {
    if (IGNORED.has(code)) return undefined;
    const replaced = this.replaced.get(code);
    return replaced ? replaced[0] : this.page.number(code);
  }

  text(code: number): string | undefined {
    return this.page.text(code);
  }

  bytes(code: number): Uint8Array | undefined {
    const replaced = this.replaced.get(code);
    if (!replaced || !this.tags.has(code)) return IGNORED.has(code) ? undefined : this.page.bytes(code);
    const view = new DataView(new ArrayBuffer(8 * replaced.length));
    replaced.forEach((value, i) => {
      view.setBigUint64(8 * i, BigInt(value), this.file.littleEndian);
    });
    return new Uint8Array(view.buffer);
  }
}

function longTag(code: number, count: number): TiffTag {
  return { code, type: FIELD.long8, count, valueOffset: 0, byteLength: 8 * count };
}
