import type { ByteSource } from '../io/byte-source.js';
import type { ChunkCache } from '../samples/chunk-cache.js';
import type { SampleType } from '../samples/types.js';

/**
 * The TIFF container, shared by every format that is built on it (plain TIFF and its flavors, LSM, OIF planes,
 * Prairie View): pages and their tags, without any meaning.
 */
export interface TiffFile {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  readonly bigTiff: boolean;
  /** Pages of the main chain, SubIFDs not included. Only their offsets are known until `page` is called. */
  readonly pageCount: number;
  /** Parses the IFD of page `index` on demand. @throws AcqError `decode_failed` for a damaged IFD */
  page(index: number): TiffPage;
  /** Parses an IFD that is not on the main chain (SubIFD, EXIF …). `index` of the result is −1. */
  pageAt(offset: number): TiffPage;
  /** What the walk of the chain met: a loop, an IFD outside the file. Empty for a sound file. */
  readonly warnings: readonly string[];
  /** Strips and tiles that were decoded last; see `ChunkCache`. */
  readonly chunkCache: ChunkCache;
}

/** One tag of an IFD, its value not read yet. */
export interface TiffTag {
  readonly code: number;
  readonly type: number;
  readonly count: number;
  /** Absolute offset of the value in the file (inside the entry itself when it is inline). */
  readonly valueOffset: number;
  /** Bytes of the value. */
  readonly byteLength: number;
}

export interface TiffPage {
  readonly index: number;
  readonly ifdOffset: number;
  /** Offset of the next IFD, 0 at the end. */
  readonly nextIfdOffset: number;
  readonly tags: ReadonlyMap<number, TiffTag>;
  /** Tags that damaged entries of the IFD may have been. */
  readonly lostTags: ReadonlySet<number>;
  /** @throws AcqError `decode_failed`, `unsupported_format` (complex samples, volumes), `plane_too_large` */
  readonly layout: PageLayout;
  /** All values of a numeric tag (RATIONALs as quotients); `undefined` without the tag or for text. */
  numbers(code: number): number[] | undefined;
  /** First value of a numeric tag. */
  number(code: number): number | undefined;
  /** Text up to the first NUL: UTF-8, else Latin-1. */
  text(code: number): string | undefined;
  /** Raw value bytes, at most `LIMITS.metadataBytes`. */
  bytes(code: number): Uint8Array | undefined;
}

/** What is needed to find and decode the samples of a page. Checked when built: sizes, counts and offsets are sane. */
export interface PageLayout {
  readonly width: number;
  readonly height: number;
  readonly samplesPerPixel: number;
  /** Significant bits of one stored sample: 1–64. */
  readonly bits: number;
  readonly sampleFormat: 'uint' | 'int' | 'float';
  /** Type that the samples decode to. */
  readonly sampleType: SampleType;
  readonly compression: number;
  readonly photometric: number;
  /** True when each sample has strips or tiles of its own (PlanarConfiguration 2). */
  readonly planar: boolean;
  readonly predictor: number;
  readonly fillOrder: number;
  readonly tiled: boolean;
  /** Width of a strip (= width) or tile. */
  readonly chunkWidth: number;
  /** Rows of a strip or tile. */
  readonly chunkHeight: number;
  /** NewSubfileType bit 0, or SubfileType 2: a reduced version of another page. */
  readonly reduced: boolean;
  /** NewSubfileType bit 2: a transparency mask. */
  readonly mask: boolean;
}
