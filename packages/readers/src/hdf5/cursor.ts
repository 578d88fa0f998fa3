import { latin1 } from '../base/bytes.js';
import { decodeFailed } from '../base/errors.js';

/** Reads little-endian fields in sequence from a block of metadata, never past its end. */
export class Cursor {
  readonly bytes: Uint8Array;
  at: number;
  private readonly view: DataView;
  private readonly where: string;
  private readonly offsetSize: number;
  private readonly lengthSize: number;

  /** @param where what the bytes are, for messages */
  constructor(bytes: Uint8Array, sizes: { offsetSize: number; lengthSize: number }, where: string, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offsetSize = sizes.offsetSize;
    this.lengthSize = sizes.lengthSize;
    this.where = where;
    this.at = at;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8(): number {
    return this.view.getUint8(this.step(1));
  }

  u16(): number {
    return this.view.getUint16(this.step(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.step(4), true);
  }

  /** Reads an unsigned number of 1 to 8 bytes; infinite above 2⁵³. */
  uint(size: number): number {
    const start = this.step(size);
    let value = 0;
    for (let i = size - 1; i >= 0; i--) value = value * 256 + this.view.getUint8(start + i);
    return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
  }

  /** Reads an address; `undefined` for the undefined address of the format. */
  address(): number | undefined {
    const start = this.at;
    const value = this.uint(this.offsetSize);
    if (this.bytes.subarray(start, start + this.offsetSize).every((byte) => byte === 0xff)) return undefined;
    return value;
  }

  /** Reads a size or a count. */
  length(): number {
    return this.uint(this.lengthSize);
  }

  skip(count: number): this {
    this.step(count);
    return this;
  }

  take(count: number): Uint8Array {
    const start = this.step(count);
    return this.bytes.subarray(start, start + count);
  }

  /** Reads `count` bytes as text up to the first NUL. */
  text(count: number): string {
    return decodeName(this.take(count));
  }

  /** Reads text up to a NUL. @throws AcqError `decode_failed` without one */
  nulTerminated(): string {
    const end = this.bytes.indexOf(0, this.at);
    if (end < 0) throw decodeFailed(`${this.where} contains a name without an end; the file is corrupted`);
    const text = decodeName(this.bytes.subarray(this.at, end));
    this.at = end + 1;
    return text;
  }

  /** Reads a signature. @throws AcqError `decode_failed` for another one */
  expect(signature: string): this {
    const actual = latin1(this.take(signature.length));
    if (actual !== signature) {
      throw decodeFailed(`${this.where}: expected the signature ${signature}; the file is corrupted`);
    }
    return this;
  }

  private step(count: number): number {
    const start = this.at;
    if (!(count >= 0) || start + count > this.bytes.length) {
      throw decodeFailed(`${this.where}: ends inside a field; the file is corrupted`);
    }
    this.at = start + count;
    return start;
  }
}

/** Decodes UTF-8 up to the first NUL; invalid UTF-8 is read as Latin-1. */
export function decodeName(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const used = end < 0 ? bytes : bytes.subarray(0, end);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(used);
  } catch {
    return latin1(used);
  }
}
