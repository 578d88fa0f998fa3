import type { ByteSource } from '../io/byte-source.js';
import type { ChunkCache } from '../model/samples/chunk-cache.js';
import type { SampleType } from '../model/samples/types.js';

/**
 * The TIFF container: pages and their tags, without interpretation. Shared by every format that is built on it (plain TIFF
 * and its flavors, LSM, OIF planes, Prairie View).
 */
export interface TiffFile {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  readonly bigTiff: boolean;
  /** Pages of the main chain, SubIFDs not included. Only their offsets are known until `page` is called. */
  readonly pageCount: number;
  /** Parses the IFD of page `index` on demand. @throws AcqError `decode_failed` for a corrupted IFD */
  page(index: number): TiffPage;
  /** Parses an IFD that is not on the main chain (SubIFD, EXIF …). `index` of the result is −1. */
  pageAt(offset: number): TiffPage;
  /** Problems in the chain of IFDs, such as a loop or an IFD outside the file. */
  readonly warnings: readonly string[];
  /** The strips and tiles that were decoded last. See `ChunkCache`. */
  readonly chunkCache: ChunkCache;
}

/** One tag of an IFD, whose value is read on demand. */
export interface TiffTag {
  readonly code: number;
  readonly type: number;
  readonly count: number;
  /** Absolute offset of the value in the file (inside the entry if the value is inline). */
  readonly valueOffset: number;
  /** Size of the value in bytes. */
  readonly byteLength: number;
}

export interface TiffPage {
  readonly index: number;
  readonly ifdOffset: number;
  /** Offset of the next IFD, 0 at the end. */
  readonly nextIfdOffset: number;
  readonly tags: ReadonlyMap<number, TiffTag>;
  /** Tags that corrupted entries of the IFD may have been. */
  readonly lostTags: ReadonlySet<number>;
  /** @throws AcqError `decode_failed`, `unsupported_format` (complex samples, volumes), `plane_too_large` */
  readonly layout: PageLayout;
  /** Returns all values of a numeric tag (RATIONALs as quotients); `undefined` for a missing tag or text. */
  numbers(code: number): number[] | undefined;
  /** Returns the first value of a numeric tag. */
  number(code: number): number | undefined;
  /** Returns the text up to the first NUL: XML in UTF-16, UTF-8 if it is valid, and Latin-1 otherwise. */
  text(code: number): string | undefined;
  /** Returns the raw bytes of a value, at most `LIMITS.metadataBytes`. */
  bytes(code: number): Uint8Array | undefined;
}

/** Colors that are stored as brightness and two differences (YCbCr): how many pixels share the differences. */
export interface ColorDifferences {
  readonly across: number;
  readonly down: number;
}

/** How the samples of a page are stored. All sizes and counts were checked when the layout was built. */
export interface PageLayout {
  readonly width: number;
  readonly height: number;
  readonly samplesPerPixel: number;
  /** Significant bits of one stored sample: 1–64. */
  readonly bits: number;
  readonly sampleFormat: 'uint' | 'int' | 'float';
  /** Type of the decoded samples. */
  readonly sampleType: SampleType;
  readonly compression: number;
  readonly photometric: number;
  /** True if each sample has its own strips or tiles (PlanarConfiguration 2). */
  readonly planar: boolean;
  readonly predictor: number;
  /** Set for YCbCr colors in plain bytes, which are decoded to RGB. */
  readonly colorDifferences?: ColorDifferences | undefined;
  readonly fillOrder: number;
  readonly tiled: boolean;
  /** Width of a strip (the width of the page) or of a tile. */
  readonly chunkWidth: number;
  /** Rows of a strip or tile. */
  readonly chunkHeight: number;
  /** NewSubfileType bit 0, or SubfileType 2: a reduced version of another page. */
  readonly reduced: boolean;
  /** NewSubfileType bit 2: a transparency mask. */
  readonly mask: boolean;
}
