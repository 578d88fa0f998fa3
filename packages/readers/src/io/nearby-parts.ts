/**
 * Reads small parts of a file that lie close together, such as lines that are stored one by one, with one call for many:
 * a call takes longer than copying what lies between them.
 */
import type { ByteSource } from './byte-source.js';

/** Stays in the second-level cache until the parts are used. */
const WINDOW_BYTES = 256 * 1024;
/** Parts that start further apart are read one by one. */
const MAX_APART = 16 * 1024;

export class NearbyParts {
  private readonly source: ByteSource;
  private memory: Uint8Array<ArrayBuffer> | undefined;
  private bytes = new Uint8Array();
  /** Offset of the window in the file. */
  private start = 0;

  constructor(source: ByteSource) {
    this.source = source;
  }

  /**
   * Reads a part, and those behind it that are close, unless it is in the window. A part without such neighbors is not
   * read.
   * @param starts offsets of the parts in the file, in the order in which they are wanted
   * @param at index of the part
   * @param span bytes of a part, about
   * @param lead bytes of memory in front of the part: sets how its content is aligned
   */
  moveTo(starts: ArrayLike<number>, at: number, span: number, lead = 0): void {
    const start = starts[at]!;
    if (this.view(start, span)) return;
    const limit = Math.min(start + WINDOW_BYTES, this.source.size);
    let last = start;
    for (let i = at + 1; i < starts.length; i++) {
      const next = starts[i]!;
      if (!(next > last && next - last <= MAX_APART && next + span <= limit)) break;
      last = next;
    }
    this.start = start;
    this.bytes = this.bytes.subarray(0, 0);
    if (!(last > start)) return;
    this.memory ??= new Uint8Array(WINDOW_BYTES + 8);
    const bytes = this.memory.subarray(lead, lead + last + span - start);
    this.source.readInto(bytes, start);
    this.bytes = bytes;
  }

  /** Returns bytes of the file, valid until the next `moveTo`; nothing unless all of them are in the window. */
  view(offset: number, length: number): Uint8Array | undefined {
    const from = offset - this.start;
    if (!(from >= 0 && from + length <= this.bytes.length)) return undefined;
    return this.bytes.subarray(from, from + length);
  }
}
