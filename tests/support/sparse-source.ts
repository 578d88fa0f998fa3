import { type ByteSource, checkRange } from '../../packages/readers/src/io/byte-source.js';

/** A file of any size of which only some pieces are written; the rest reads as zeros. */
export class SparseSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly pieces: readonly { offset: number; bytes: Uint8Array }[];

  constructor(name: string, size: number, pieces: readonly { offset: number; bytes: Uint8Array }[]) {
    this.name = name;
    this.size = size;
    this.pieces = pieces.filter(({ bytes }) => bytes.length > 0).sort((a, b) => a.offset - b.offset);
  }

  read(offset: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    this.readInto(bytes, offset);
    return bytes;
  }

  readInto(target: Uint8Array, offset: number): void {
    checkRange(this.name, this.size, offset, target.length);
    target.fill(0);
    const end = offset + target.length;
    for (let i = this.firstBehind(offset); i < this.pieces.length; i++) {
      const piece = this.pieces[i] as { offset: number; bytes: Uint8Array };
      if (piece.offset >= end) return;
      const from = Math.max(offset, piece.offset);
      const to = Math.min(end, piece.offset + piece.bytes.length);
      target.set(piece.bytes.subarray(from - piece.offset, to - piece.offset), from - offset);
    }
  }

  close(): void {}

  /** First piece that ends behind `offset`. */
  private firstBehind(offset: number): number {
    let low = 0;
    let high = this.pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const piece = this.pieces[middle] as { offset: number; bytes: Uint8Array };
      if (piece.offset + piece.bytes.length <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
