/** Collects the parts of a large file, of which only the last few are in the memory of the page. */
import { formatBytes } from '../model/number-text.ts';

/** Bytes that are kept before they become a Blob, which a browser may move to the disk. */
const FLUSH = 8 << 20;
/** Positions in MP4 and ZIP files are stored in 32 bits, and browsers refuse much larger Blobs. */
const MAX_FILE = 2 ** 31;

export class FileParts {
  readonly #limit: number;
  readonly #done: Blob[] = [];
  #waiting: BlobPart[] = [];
  #waitingBytes = 0;
  #size = 0;

  constructor(limit = MAX_FILE) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#size;
  }

  /** @throws RangeError when the file would exceed the limit */
  push(...parts: readonly Uint8Array<ArrayBuffer>[]): void {
    for (const part of parts) {
      this.#size += part.length;
      this.#waitingBytes += part.length;
      this.#waiting.push(part);
    }
    if (this.#size > this.#limit) throw new RangeError(`The file would be larger than ${formatBytes(this.#limit)}.`);
    if (this.#waitingBytes >= FLUSH) this.#flush();
  }

  /** Returns the file, with `head` before what was pushed. */
  blob(type: string, head: readonly BlobPart[] = []): Blob {
    this.#flush();
    return new Blob([...head, ...this.#done], { type });
  }

  #flush(): void {
    this.#done.push(new Blob(this.#waiting));
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}
