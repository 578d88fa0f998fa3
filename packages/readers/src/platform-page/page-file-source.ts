import { AcqError } from '../base/errors.js';
import { type ByteSource, checkRange } from '../io/byte-source.js';

/** What is used of a `File` or `Blob` of a page. */
export interface PageBlob {
  readonly size: number;
  slice(start: number, end: number): PageBlob;
}

/** Workers of pages have it. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: PageBlob): ArrayBuffer;
}

/** Headers are read field by field, and each look at a file costs as much as reading so many bytes. */
const PAGE = 65_536;
/** Pages of a file that are kept. */
const MAX_PAGES = 8;

/** A file that was given to a page. Reads are synchronous, so it works in workers alone. */
export class PageFileSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  private readonly blob: PageBlob;
  /** The last pages that were read, oldest first. */
  private readonly pages = new Map<number, Uint8Array>();

  constructor(name: string, blob: PageBlob) {
    this.name = name;
    this.blob = blob;
    this.size = blob.size;
  }

  read(offset: number, length: number): Uint8Array {
    checkRange(this.name, this.size, offset, length);
    if (length >= PAGE) return this.load(offset, offset + length);
    const target = new Uint8Array(length);
    this.copy(target, offset);
    return target;
  }

  readInto(target: Uint8Array, offset: number): void {
    checkRange(this.name, this.size, offset, target.length);
    if (target.length >= PAGE) target.set(this.load(offset, offset + target.length));
    else this.copy(target, offset);
  }

  close(): void {
    this.pages.clear();
  }

  private copy(target: Uint8Array, offset: number): void {
    for (let done = 0; done < target.length; ) {
      const at = offset + done;
      const number = Math.floor(at / PAGE);
      const page = this.page(number);
      const from = at - number * PAGE;
      const part = page.subarray(from, from + target.length - done);
      target.set(part, done);
      done += part.length;
    }
  }

  private page(number: number): Uint8Array {
    const known = this.pages.get(number);
    if (known) return known;
    const page = this.load(number * PAGE, Math.min(this.size, (number + 1) * PAGE));
    if (this.pages.size >= MAX_PAGES) this.pages.delete(this.pages.keys().next().value!);
    this.pages.set(number, page);
    return page;
  }

  private load(start: number, end: number): Uint8Array {
    let bytes: Uint8Array;
    try {
      bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(this.blob.slice(start, end)));
    } catch (error) {
      throw this.changed(error);
    }
    if (bytes.length !== end - start) throw this.changed();
    return bytes;
  }

  private changed(cause?: unknown): AcqError {
    const message = 'cannot be read any more. It was changed, moved or deleted since it was chosen. Choose it again.';
    return new AcqError('source_changed', message, { cause, subject: this.name });
  }
}
