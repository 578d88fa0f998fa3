import { type ByteSource, checkRange } from './byte-source.js';

/** A range of another source, such as a file inside an archive. Offsets count from the start of the range. */
export class WindowSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  private readonly inner: ByteSource;
  private readonly start: number;

  constructor(name: string, inner: ByteSource, start: number, size: number) {
    this.name = name;
    this.size = size;
    this.inner = inner;
    this.start = start;
  }

  read(offset: number, length: number): Uint8Array {
    checkRange(this.name, this.size, offset, length);
    return this.inner.read(this.start + offset, length);
  }

  readInto(target: Uint8Array, offset: number): void {
    checkRange(this.name, this.size, offset, target.length);
    this.inner.readInto(target, this.start + offset);
  }

  close(): void {}
}
