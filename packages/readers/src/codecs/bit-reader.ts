import { decodeFailed } from '../base/errors.js';

/** Reads numbers of 1 to 32 bits from bytes, most significant bit first. Throws `decode_failed` at the end of the data. */
export class BitReader {
  private readonly bytes: Uint8Array;
  private at: number;
  /** The current byte and how many of its bits are still unread. */
  private byte = 0;
  private left = 0;

  constructor(bytes: Uint8Array, start = 0) {
    this.bytes = bytes;
    this.at = start;
  }

  read(count: number): number {
    let value = 0;
    for (let missing = count; missing > 0; ) {
      if (this.left === 0) this.next();
      const taken = Math.min(missing, this.left);
      this.left -= taken;
      missing -= taken;
      value = (value << taken) | ((this.byte >> this.left) & (2 ** taken - 1));
    }
    return value >>> 0;
  }

  /** Returns how many zeros stand before the next one, which is read, too. */
  countZeros(): number {
    let zeros = 0;
    for (;;) {
      if (this.left === 0) this.next();
      const rest = this.byte & (2 ** this.left - 1);
      if (rest !== 0) {
        const leading = Math.clz32(rest) - (32 - this.left);
        this.left -= leading + 1;
        return zeros + leading;
      }
      zeros += this.left;
      this.left = 0;
    }
  }

  private next(): void {
    if (this.at >= this.bytes.length) throw decodeFailed('the compressed data are truncated');
    this.byte = this.bytes[this.at]!;
    this.at++;
    this.left = 8;
  }
}
