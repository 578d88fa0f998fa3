import type { ByteSource } from '../../io/byte-source.js';

/** The bytes of one image: part of a file, or the frames of several files one after the other. */
export interface PixelBytes {
  /** Name of the file or the image, for messages. */
  readonly name: string;
  /** Bytes that are available. */
  readonly size: number;
  /** Fills `target` with the bytes from `offset`. */
  readInto(target: Uint8Array, offset: number): void | Promise<void>;
}

/** Part of a file. */
export class FileRange implements PixelBytes {
  readonly name: string;
  readonly size: number;
  private readonly source: ByteSource;
  private readonly start: number;

  /** @param size bytes according to the file; those beyond its end are not counted */
  constructor(source: ByteSource, start: number, size: number) {
    this.name = source.name;
    this.source = source;
    this.start = start;
    this.size = Math.max(0, Math.min(size, source.size - start));
  }

  readInto(target: Uint8Array, offset: number): void {
    this.source.readInto(target, this.start + offset);
  }
}
