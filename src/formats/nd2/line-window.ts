/**
 * Reads frames of one row, as line scans have: many with one read of the file. A frame of a few kB lies between 4 kB of
 * padding and the next multiple of 4096, so the system reads the same pages either way, and one call instead of two for
 * each line.
 */
import type { ByteSource } from '../../io/byte-source.js';
import { frameNumberIn, HEADER_BYTES } from './chunk.js';
import { TIME_BYTES } from './frame.js';
import { CHUNK_MAGIC } from './magic.js';

/** Stays in the second-level cache until the rows are copied. */
const WINDOW_BYTES = 256 * 1024;
/** Frames that start further apart are read one by one: copying what lies between takes longer than a call. */
const MAX_APART = 16 * 1024;

const MAGIC = new DataView(Uint8Array.from(CHUNK_MAGIC).buffer).getUint32(0, true);

export class LineWindow {
  private readonly source: ByteSource;
  private readonly rowBytes: number;
  private memory: Uint8Array<ArrayBuffer> | undefined;
  private bytes = new Uint8Array();
  private view = new DataView(this.bytes.buffer);
  /** Offset of the window in the file. */
  private start = 0;
  /** Bytes from the start of a chunk to the end of its row, in the last one that was read. */
  private span: number;

  constructor(source: ByteSource, rowBytes: number) {
    this.source = source;
    this.rowBytes = rowBytes;
    this.span = 4096 + rowBytes;
  }

  /**
   * Reads the first of the frames, and those behind it that are close, unless they are in the window.
   * @param offsets of chunks, in the order in which they are wanted
   * @param at index of the first one
   */
  moveTo(offsets: ArrayLike<number>, at: number): void {
    const start = offsets[at]!;
    if (this.has(start)) return;
    const limit = Math.min(start + WINDOW_BYTES, this.source.size);
    let last = start;
    for (let i = at + 1; i < offsets.length; i++) {
      const next = offsets[i]!;
      if (!(next > last && next - last <= MAX_APART && next + this.span <= limit)) break;
      last = next;
    }
    const end = last > start ? last + this.span : start;
    this.start = start;
    this.memory ??= new Uint8Array(WINDOW_BYTES);
    this.bytes = this.memory.subarray(0, end - start);
    this.view = new DataView(this.memory.buffer, 0, end - start);
    if (end > start) this.source.readInto(this.bytes, start);
  }

  /**
   * Returns the row of a frame, valid until the next `moveTo`.
   * @param offset of its chunk
   * @returns nothing unless all of it is in the window, and it is complete and the frame that it should be
   */
  row(offset: number, frame: number): Uint8Array | undefined {
    if (!this.has(offset)) return undefined;
    const { bytes, view } = this;
    const at = offset - this.start;
    const name = at + HEADER_BYTES;
    const nameEnd = bytes.indexOf(0x21, name);
    const payload = name + view.getUint32(at + 4, true);
    const length = view.getUint32(at + 8, true) + view.getUint32(at + 12, true) * 2 ** 32;
    const begin = payload + TIME_BYTES;
    const end = begin + this.rowBytes;
    const isComplete = end <= bytes.length && length >= TIME_BYTES + this.rowBytes;
    if (!isComplete || view.getUint32(at, true) !== MAGIC || nameEnd >= payload) return undefined;
    if (frameNumberIn(bytes, name, nameEnd) !== frame) return undefined;
    this.span = end - at;
    return bytes.subarray(begin, end);
  }

  private has(offset: number): boolean {
    return offset >= this.start && offset + this.span <= this.start + this.bytes.length;
  }
}
