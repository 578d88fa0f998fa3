import { decodeFailed } from '../base/errors.js';
import { errorAbout } from '../base/subject.js';
import { plural } from '../base/wording.js';
import type { ByteSource } from '../io/byte-source.js';
import { createChunkCache } from '../model/samples/chunk-cache.js';
import { type Chain, walkChain } from './chain.js';
import { parseHeader, type TiffHeader } from './header.js';
import { IfdPage } from './page.js';
import { ReadWindow } from './read-window.js';
import type { TiffFile, TiffPage } from './types.js';

/**
 * Opens a classic TIFF (version 42) or BigTIFF (43) of either byte order and walks its chain of IFDs. Tags and pixels are
 * read on demand.
 * @throws AcqError `unsupported_format` if the file is not a TIFF, `decode_failed` if the first IFD is unusable
 */
export function openTiff(source: ByteSource): TiffFile {
  try {
    const header = parseHeader(source);
    const window = new ReadWindow(source);
    return new ChainedTiff(source, window, header, walkChain(source, window, header));
  } catch (error) {
    throw errorAbout(source.name, error);
  }
}

/**
 * Opens a TIFF as if it had its first page only, without walking the chain of IFDs, which takes long for a file of many pages.
 * @throws AcqError like `openTiff`
 */
export function openFirstPage(source: ByteSource): TiffFile {
  try {
    const header = parseHeader(source);
    const offsets = Float64Array.of(header.firstIfd);
    return new ChainedTiff(source, new ReadWindow(source), header, { offsets, warnings: [] });
  } catch (error) {
    throw errorAbout(source.name, error);
  }
}

/** Returns the first page of a TIFF, like `openFirstPage`. @throws AcqError like `openTiff` */
export function readFirstPage(source: ByteSource): TiffPage {
  return openFirstPage(source).page(0);
}

class ChainedTiff implements TiffFile {
  readonly source: ByteSource;
  readonly littleEndian: boolean;
  readonly bigTiff: boolean;
  readonly warnings: readonly string[];
  readonly chunkCache = createChunkCache();
  private readonly window: ReadWindow;
  private readonly offsets: Float64Array;

  constructor(source: ByteSource, window: ReadWindow, header: TiffHeader, chain: Chain) {
    this.source = source;
    this.littleEndian = header.littleEndian;
    this.bigTiff = header.bigTiff;
    this.window = window;
    this.offsets = chain.offsets;
    this.warnings = chain.warnings;
  }

  get pageCount(): number {
    return this.offsets.length;
  }

  page(index: number): TiffPage {
    const offset = this.offsets[index];
    if (offset === undefined) {
      throw decodeFailed(`page ${index + 1} does not exist; the file has ${plural(this.offsets.length, 'page')}`).about(
        this.source.name,
      );
    }
    return this.parse(index, offset);
  }

  pageAt(offset: number): TiffPage {
    return this.parse(-1, offset);
  }

  private parse(index: number, offset: number): TiffPage {
    try {
      return new IfdPage(this, this.window, index, offset);
    } catch (error) {
      throw errorAbout(this.source.name, error);
    }
  }
}
