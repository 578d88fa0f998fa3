import type { AcqError } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';

/** The bytes of one image: part of a file, or the frames of several files one after the other. */
export interface PixelBytes {
  /** Bytes that are available. */
  readonly size: number;
  /** Fills `target` with the bytes from `offset`. */
  readInto(target: Uint8Array, offset: number): void | Promise<void>;
  /** Returns an error with the file, or the image, that it is about. */
  locate(error: AcqError): AcqError;
}

/** Part of a file. */
export class FileRange implements PixelBytes {
  readonly size: number;
  private readonly source: ByteSource;
  private readonly start: number;

  /** @param size bytes according to the file; those beyond its end are not counted */
  constructor(source: ByteSource, start: number, size: number) {
    this.source = source;
    this.start = start;
    this.size = Math.max(0, Math.min(size, source.size - start));
  }

  readInto(target: Uint8Array, offset: number): void {
    this.source.readInto(target, this.start + offset);
  }

  locate(error: AcqError): AcqError {
    return error.about(this.source.name);
  }
}
