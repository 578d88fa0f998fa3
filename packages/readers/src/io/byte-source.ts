import { decodeFailed } from '../base/errors.js';
import { grouped } from '../base/wording.js';

/**
 * Readable bytes of known size. Reads are synchronous: readers run in a decode worker of their own (or in a script),
 * where a `pread` costs a tenth of what the same read costs through a promise. See `docs/decisions/0002-sync-reads.md`.
 */
export interface ByteSource {
  /** Name for messages: the name of the file, or its path inside the folder of the acquisition. */
  readonly name: string;
  /** Size in bytes at the time of opening. */
  readonly size: number;
  /**
   * Reads exactly `length` bytes from `offset` into new memory.
   * @throws AcqError `decode_failed` when the range falls outside the source, or the file has become shorter
   */
  read(offset: number, length: number): Uint8Array;
  /** Like `read`, but fills the caller's `target`. */
  readInto(target: Uint8Array, offset: number): void;
  close(): void;
}

/** Checks that a range lies inside the `size` bytes of `name`. Every read goes through it. @throws AcqError `decode_failed` */
export function checkRange(name: string, size: number, offset: number, length: number): void {
  const problem = rangeProblem(size, offset, length);
  if (problem !== undefined) throw decodeFailed(problem).about(name);
}

/** Says why a range does not lie inside `size` bytes; `undefined` when it does. */
export function rangeProblem(size: number, offset: number, length: number): string | undefined {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0) {
    return `invalid read: ${grouped(length)} bytes at offset ${grouped(offset)}. The file is corrupted.`;
  }
  if (offset + length <= size) return undefined;
  return `bytes ${grouped(offset)}–${grouped(offset + length)} are missing: the file ends at ${grouped(size)}. It is truncated or corrupted; copy it again.`;
}

/** Bytes in memory, such as an unpacked archive entry. */
export class MemorySource implements ByteSource {
  readonly name: string;
  readonly size: number;
  private readonly bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
    this.size = bytes.length;
  }

  read(offset: number, length: number): Uint8Array {
    checkRange(this.name, this.size, offset, length);
    return this.bytes.slice(offset, offset + length);
  }

  readInto(target: Uint8Array, offset: number): void {
    checkRange(this.name, this.size, offset, target.length);
    target.set(this.bytes.subarray(offset, offset + target.length));
  }

  close(): void {}
}
