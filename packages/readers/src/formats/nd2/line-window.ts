/**
 * Reads frames of one row, as line scans have. A frame of a few kB lies between 4 kB of padding and the next multiple of
 * 4096, so the system reads the same pages whether the padding is read or not.
 */
import type { ByteSource } from '../../io/byte-source.js';
import { NearbyParts } from '../../io/nearby-parts.js';
import { frameNumberIn, HEADER_BYTES } from './chunk.js';
import { TIME_BYTES } from './frame.js';
import { hasChunkMagic } from './magic.js';

export class LineWindow {
  private readonly nearby: NearbyParts;
  private readonly rowBytes: number;
  /** Bytes from the start of a chunk to the end of its row, in the last one that was read. */
  private span: number;

  constructor(source: ByteSource, rowBytes: number) {
    this.nearby = new NearbyParts(source);
    this.rowBytes = rowBytes;
    this.span = 4096 + rowBytes;
  }

  /**
   * Returns the row of a frame, valid until the next call.
   * @param offsets of chunks, in the order in which they are wanted
   * @param at index of the frame
   * @returns nothing unless its chunk is close to others, complete, and that of the frame
   */
  row(offsets: ArrayLike<number>, at: number, frame: number): Uint8Array | undefined {
    const { nearby, rowBytes } = this;
    const offset = offsets[at]!;
    nearby.moveTo(offsets, at, this.span);
    const head = nearby.view(offset, this.span);
    if (!head || !hasChunkMagic(head)) return undefined;
    // Not by `readChunk`: with the names of all lines as strings, decoding takes a third longer.
    const nameEnd = head.indexOf(0x21, HEADER_BYTES);
    const payload = HEADER_BYTES + uint32(head, 4);
    const length = uint32(head, 8) + uint32(head, 12) * 2 ** 32;
    if (nameEnd >= payload || length < TIME_BYTES + rowBytes) return undefined;
    if (frameNumberIn(head, HEADER_BYTES, nameEnd) !== frame) return undefined;
    const row = nearby.view(offset + payload + TIME_BYTES, rowBytes);
    if (row) this.span = payload + TIME_BYTES + rowBytes;
    return row;
  }
}

function uint32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}
