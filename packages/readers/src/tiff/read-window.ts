import { decodeFailed } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { type ByteSource, checkRange } from '../io/byte-source.js';

const SMALL = 512;
const LARGE = 256 * 1024;

/**
 * A buffered part of the file for small metadata reads. It grows while they advance (adjacent IFDs at the end of a file
 * share reads) and shrinks to one small read per IFD if there are pixels between them.
 */
export class ReadWindow {
  /** Bytes of the window, at the positions that `at` returns. Valid until the next call of `at`. */
  view: DataView;
  private readonly source: ByteSource;
  private buffer: Uint8Array;
  private start = 0;
  private length = 0;
  private step = SMALL;

  constructor(source: ByteSource) {
    this.source = source;
    this.buffer = new Uint8Array(SMALL);
    this.view = new DataView(this.buffer.buffer);
  }

  /**
   * Reads `length` bytes at `offset` of the file and returns their position in `view`.
   * @throws AcqError `decode_failed` outside the file
   */
  at(offset: number, length: number): number {
    if (offset >= this.start && offset + length <= this.start + this.length) return offset - this.start;
    const { source } = this;
    checkRange(source.name, source.size, offset, length);
    if (length > LARGE)
      throw decodeFailed(
        `the record at offset ${grouped(offset)} has ${grouped(length)} bytes; the limit is ${grouped(LARGE)}`,
      );
    const end = this.start + this.length;
    const forward = offset >= this.start && offset <= end + SMALL && this.length > 0;
    this.step = forward ? Math.min(this.step * 2, LARGE) : SMALL;
    const size = Math.min(Math.max(this.step, length), source.size - offset);
    if (size > this.buffer.length) {
      this.buffer = new Uint8Array(size);
      this.view = new DataView(this.buffer.buffer);
    }
    this.length = 0;
    source.readInto(this.buffer.subarray(0, size), offset);
    this.start = offset;
    this.length = size;
    return 0;
  }
}
