/** Decodes streams of deflate (RFC 1951) with the loops of `inflate.ts`. */
import { DISTANCE_TABLE, INFLATE_SLACK, LITERAL_TABLE, STATE, STATE_WORDS } from './inflate.js';
import { DISTANCE_ENTRIES, LITERAL_ENTRIES, TableBuilder } from './inflate-tables.js';
import { findModules, type Kernel, type Memory, type Modules } from './kernels.js';
import { patternTable } from './matches.js';

const PAGE = 65_536;
/** Start of the input. */
const INPUT = Math.ceil((DISTANCE_TABLE + 4 * DISTANCE_ENTRIES) / PAGE) * PAGE;
/** Memory never shrinks: more than this is not kept for the next stream. */
const KEPT_BYTES = 16 * 2 ** 20;
/** Larger streams are for zlib, which needs no copies. */
const MAX_BYTES = 64 * 2 ** 20;

/** The order in which a block stores the lengths of the codes of code lengths. */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const MAX_LITERALS = 286;
const MAX_DISTANCES = 30;
/** A stream that ends inside a block, or whose codes are not complete. */
class Unusual extends Error {}

/** What a stream becomes, in the memory of the decoder: valid until the next one. */
export interface Inflated {
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of the input that the stream takes. */
  used: number;
}

/** Belongs to one thread. */
export class Inflater {
  private modules: { available: Modules | undefined } | undefined;
  private memory: Memory | undefined;
  private heap = new Uint8Array(0) as Uint8Array<ArrayBuffer>;
  private words = new Int32Array(0);
  private functions: { inflate: Kernel; adler32: Kernel } | undefined;
  private readonly tables = new TableBuilder();
  private readonly lengths = new Uint8Array(MAX_LITERALS + MAX_DISTANCES);
  private position = 0;
  private inputEnd = 0;

  /**
   * Decodes a stream that starts at `from`.
   * @param expected bytes of output
   * @returns nothing when the stream is unusual, becomes more than `expected`, is too large, or the machine has no vectors:
   * then zlib can tell
   */
  inflate(data: Uint8Array, from: number, expected: number): Inflated | undefined {
    if (!this.prepare(data.length + expected)) return undefined;
    const output = this.place(data, expected);
    this.position = 8 * (INPUT + from);
    try {
      const end = this.readBlocks(output, output + expected);
      return { bytes: this.heap.subarray(output, end), used: Math.ceil(this.position / 8) - INPUT };
    } catch (error) {
      if (error instanceof Unusual) return undefined;
      throw error;
    }
  }

  /** Returns the Adler-32 checksum of what `inflate` returned. */
  adler32(bytes: Uint8Array): number {
    const end = bytes.byteOffset + bytes.length;
    const whole = end - (bytes.length % 16);
    let sums = this.functions!.adler32(bytes.byteOffset, whole, 1, 0) >>> 0;
    let [low, high] = [sums & 0xffff, sums >>> 16];
    for (let at = whole; at < end; at++) {
      low = (low + this.heap[at]!) % 65_521;
      high = (high + low) % 65_521;
    }
    sums = high * 65_536 + low;
    return sums;
  }

  /** Drops memory that a large stream needed. Call it when the bytes are no longer used. */
  trim(): void {
    if (this.heap.length > KEPT_BYTES) this.forget();
  }

  private forget(): void {
    this.memory = undefined;
    this.functions = undefined;
    this.heap = new Uint8Array(0);
  }

  private prepare(bytes: number): boolean {
    if (bytes > MAX_BYTES) return false;
    this.modules ??= { available: findModules() };
    const { available } = this.modules;
    if (!available) return false;
    if (this.memory) return true;
    try {
      const memory = new available.api.Memory({ initial: INPUT / PAGE });
      const instance = (name: 'inflate' | 'adler32') =>
        new available.api.Instance(available.get(name), { env: { memory } }).exports[name]!;
      this.functions = { inflate: instance('inflate'), adler32: instance('adler32') };
      this.memory = memory;
      this.use(memory);
      this.heap.set(patternTable());
      return true;
    } catch (error) {
      // The system has no memory, or no address space, for WebAssembly.
      if (error instanceof RangeError) return false;
      throw error;
    }
  }

  private use({ buffer }: Memory): void {
    this.heap = new Uint8Array(buffer);
    this.words = new Int32Array(buffer, STATE, Object.keys(STATE_WORDS).length);
  }

  /** Copies the input to the memory, with zeros behind it. @returns where the output starts */
  private place(data: Uint8Array, expected: number): number {
    const output = Math.ceil((INPUT + data.length + INFLATE_SLACK) / 16) * 16;
    const missing = output + expected + INFLATE_SLACK - this.heap.length;
    if (missing > 0) {
      this.memory!.grow(Math.ceil(missing / PAGE));
      this.use(this.memory!);
    }
    this.heap.set(data, INPUT);
    this.inputEnd = INPUT + data.length;
    this.heap.fill(0, this.inputEnd, this.inputEnd + INFLATE_SLACK);
    return output;
  }

  /** @returns where the output ends */
  private readBlocks(output: number, outputEnd: number): number {
    let at = output;
    for (let isLast = false; !isLast; ) {
      isLast = this.take(1) === 1;
      const kind = this.take(2);
      if (kind === 0) at = this.copyStored(at, outputEnd);
      else {
        if (kind === 1) this.readFixed();
        else if (kind === 2) this.readDynamic();
        else throw new Unusual();
        at = this.decode(at, output, outputEnd);
      }
      if (this.position > 8 * this.inputEnd || at > outputEnd) throw new Unusual();
    }
    return at;
  }

  private decode(at: number, output: number, outputEnd: number): number {
    this.words[STATE_WORDS.readEnd] = this.inputEnd + 8;
    if (this.functions!.inflate(this.position, at, outputEnd, output) !== 0) throw new Unusual();
    this.position = this.words[STATE_WORDS.position]!;
    return this.words[STATE_WORDS.at]!;
  }

  private copyStored(at: number, outputEnd: number): number {
    const start = Math.ceil(this.position / 8);
    const { heap } = this;
    const length = heap[start]! | (heap[start + 1]! << 8);
    const inverse = heap[start + 2]! | (heap[start + 3]! << 8);
    if ((length ^ inverse) !== 0xffff) throw new Unusual();
    const from = start + 4;
    if (from + length > this.inputEnd || at + length > outputEnd) throw new Unusual();
    heap.copyWithin(at, from, from + length);
    this.position = 8 * (from + length);
    return at + length;
  }

  private readFixed(): void {
    const lengths = new Uint8Array(288);
    lengths.fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280);
    this.build(lengths, new Uint8Array(32).fill(5));
  }

  private readDynamic(): void {
    const literals = this.take(5) + 257;
    const distances = this.take(5) + 1;
    const count = this.take(4) + 4;
    if (literals > MAX_LITERALS || distances > MAX_DISTANCES) throw new Unusual();
    const own = new Uint8Array(19);
    for (let i = 0; i < count; i++) own[LENGTH_ORDER[i]!] = this.take(3);
    const table = this.tables.buildLengths(own);
    if (!table) throw new Unusual();
    const total = literals + distances;
    const { lengths } = this;
    for (let i = 0; i < total; ) {
      const entry = table[this.peek() & 127]!;
      this.position += entry & 7;
      const symbol = entry >> 3;
      if (symbol < 16) lengths[i++] = symbol;
      else i = this.repeat(symbol, i, total);
    }
    this.build(lengths.subarray(0, literals), lengths.subarray(literals, total));
  }

  /** Repeats the last length, or zero. @returns the index of the next length */
  private repeat(symbol: number, i: number, total: number): number {
    const { lengths } = this;
    if (symbol === 16 && i === 0) throw new Unusual();
    const value = symbol === 16 ? lengths[i - 1]! : 0;
    const count = symbol === 16 ? 3 + this.take(2) : symbol === 17 ? 3 + this.take(3) : 11 + this.take(7);
    if (i + count > total) throw new Unusual();
    lengths.fill(value, i, i + count);
    return i + count;
  }

  private build(literals: Uint8Array, distances: Uint8Array): void {
    const { buffer } = this.heap;
    const literalTable = new Int32Array(buffer, LITERAL_TABLE, LITERAL_ENTRIES);
    const distanceTable = new Int32Array(buffer, DISTANCE_TABLE, DISTANCE_ENTRIES);
    if (!this.tables.buildLiterals(literalTable, literals) || !this.tables.buildDistances(distanceTable, distances)) {
      throw new Unusual();
    }
  }

  /** Returns the next bits, at least 25, the first one lowest. Behind the input they are zeros. */
  private peek(): number {
    const { heap, position } = this;
    const at = position >> 3;
    if (at > this.inputEnd) throw new Unusual();
    return ((heap[at]! | (heap[at + 1]! << 8) | (heap[at + 2]! << 16) | (heap[at + 3]! << 24)) >>> (position & 7)) | 0;
  }

  private take(bits: number): number {
    const value = this.peek() & ((1 << bits) - 1);
    this.position += bits;
    return value;
  }
}
