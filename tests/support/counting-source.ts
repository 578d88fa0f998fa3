import { type ByteSource, MemorySource } from '../../packages/readers/src/io/byte-source.js';

/** Counts what a reader reads: the deterministic cost of an open or a plane. */
export class CountingSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  reads = 0;
  bytes = 0;
  private readonly inner: ByteSource;

  constructor(inner: ByteSource | Uint8Array) {
    this.inner = inner instanceof Uint8Array ? new MemorySource('memory.tif', inner) : inner;
    this.name = this.inner.name;
    this.size = this.inner.size;
  }

  read(offset: number, length: number): Uint8Array {
    this.count(length);
    return this.inner.read(offset, length);
  }

  readInto(target: Uint8Array, offset: number): void {
    this.count(target.length);
    this.inner.readInto(target, offset);
  }

  /** Forgets what was counted. */
  reset(): void {
    this.reads = 0;
    this.bytes = 0;
  }

  close(): void {
    this.inner.close();
  }

  private count(length: number): void {
    this.reads++;
    this.bytes += length;
  }
}
