import { decodeFailed } from '../base/errors.js';

/** A Huffman table of a JPEG stream (ITU-T T.81, annexes C and F.2.2.3). */
export class HuffmanTable {
  /** By the next 9 bits: length of the code × 256 + symbol; 0 where the code is longer. */
  private readonly short = new Uint16Array(512);
  /** By length: the highest code, and what to add to a code for the index of its symbol. */
  private readonly highest = new Int32Array(17).fill(-1);
  private readonly shift = new Int32Array(17);
  private readonly symbols: Uint8Array;

  /**
   * @param counts codes of 1 to 16 bits
   * @throws AcqError `decode_failed` when the counts are impossible
   */
  constructor(counts: Uint8Array, symbols: Uint8Array) {
    this.symbols = symbols;
    let code = 0;
    let index = 0;
    for (let length = 1; length <= 16; length++) {
      const count = counts[length - 1]!;
      this.shift[length] = index - code;
      if (code + count > 2 ** length || index + count > symbols.length) {
        throw decodeFailed('JPEG data are corrupted: a Huffman table is impossible');
      }
      for (let i = 0; i < count && length <= 9; i++) {
        const first = (code + i) << (9 - length);
        this.short.fill(length * 256 + symbols[index + i]!, first, first + 2 ** (9 - length));
      }
      index += count;
      code += count;
      if (count > 0) this.highest[length] = code - 1;
      code *= 2;
    }
  }

  read(bits: EntropyBits): number {
    const next = bits.peek16();
    const short = this.short[next >> 7]!;
    if (short > 0) {
      bits.take(short >> 8);
      return short & 255;
    }
    for (let length = 10; length <= 16; length++) {
      const code = next >> (16 - length);
      if (code > this.highest[length]!) continue;
      bits.take(length);
      return this.symbols[this.shift[length]! + code] ?? 0;
    }
    throw decodeFailed('JPEG data are corrupted: a Huffman code is not in its table');
  }
}

/** Bits of a scan, up to the next marker. */
export class EntropyBits {
  private readonly data: Uint8Array;
  private at: number;
  private held = 0;
  private count = 0;
  /** Bits of `held` that are not in the data. */
  private padded = 0;

  constructor(data: Uint8Array, at: number) {
    this.data = data;
    this.at = at;
  }

  /** Where the marker is that ends the scan. */
  get position(): number {
    return this.at;
  }

  /** The next 16 bits, with zeros behind the last one. */
  peek16(): number {
    while (this.count < 16) this.hold();
    return (this.held >>> (this.count - 16)) & 0xffff;
  }

  take(count: number): number {
    while (this.count < count) this.hold();
    this.count -= count;
    if (this.count < this.padded) throw decodeFailed('JPEG data are corrupted or truncated: a scan ends early');
    return (this.held >>> this.count) & (2 ** count - 1);
  }

  /** Reads a signed number of `size` bits (T.81, F.2.2.1). */
  takeSigned(size: number): number {
    if (size === 0) return 0;
    const value = this.take(size);
    return value < 2 ** (size - 1) ? value - 2 ** size + 1 : value;
  }

  /** Skips to behind the next restart marker, which a scan has after each interval. */
  restart(): void {
    while (this.at + 1 < this.data.length) {
      const marker = this.data[this.at] === 0xff ? this.data[this.at + 1]! : 0;
      if (marker >= 0xd0 && marker <= 0xd7) {
        this.at += 2;
        [this.held, this.count, this.padded] = [0, 0, 0];
        return;
      }
      if (marker !== 0 && marker !== 0xff) break;
      this.at++;
    }
    throw decodeFailed('JPEG data are corrupted or truncated: a restart marker is missing');
  }

  private hold(): void {
    const { data, at } = this;
    const byte = data[at];
    const isMarker = byte === 0xff && data[at + 1] !== 0;
    if (byte === undefined || isMarker) this.padded += 8;
    else this.at += byte === 0xff ? 2 : 1;
    this.held = (this.held << 8) | (byte === undefined || isMarker ? 0 : byte);
    this.count += 8;
  }
}
