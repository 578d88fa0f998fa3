/**
 * Tables that decode the Huffman codes of deflate (RFC 1951, 3.2). The next bits of the stream are the index of an entry:
 *
 * | entry | bits |
 * | --- | --- |
 * | one or two literals | 0–5 bits of their codes, 8–15 first, 16–23 second, 24–25 how many |
 * | length or distance | 0–5 bits of code and extra bits, 8–12 bits of the code, 16–30 base; bit 31 for a length |
 * | longer codes | 31 and 30, 0–3 bits of their table, 8–21 where it starts, 29 |
 * | end of the block | 31 and 30, 0–5 bits of the code, 28 |
 * | no code | 31 and 30 |
 *
 * Image data are mostly literals: an entry with two of them halves the look-ups.
 */

/** Bits of an index. */
export const LITERAL_BITS = 11;
export const DISTANCE_BITS = 9;
/** Entries of a table with those of its longer codes: more than any complete code needs. */
export const LITERAL_ENTRIES = 4096;
export const DISTANCE_ENTRIES = 2048;

export const SPECIAL = 3 << 30;
export const LONGER = 1 << 29;
export const END = 1 << 28;
const LENGTH = 1 << 31;

const MAX_BITS = 15;
const LENGTH_BITS = 7;

/** What a symbol becomes: `entry + bits · perBit`. */
interface Symbols {
  entry: Int32Array;
  perBit: Int32Array;
}

const LENGTH_SYMBOLS: Symbols = {
  entry: Int32Array.from({ length: 19 }, (_, symbol) => symbol << 3),
  perBit: new Int32Array(19).fill(1),
};

function literalSymbols(): Symbols {
  const entry = new Int32Array(288).fill(SPECIAL);
  const perBit = new Int32Array(288).fill(1);
  for (let literal = 0; literal < 256; literal++) entry[literal] = (1 << 24) | (literal << 8);
  entry[256] = SPECIAL | END;
  let base = 3;
  for (let symbol = 257; symbol < 286; symbol++) {
    const extra = symbol < 265 || symbol === 285 ? 0 : (symbol - 261) >> 2;
    if (symbol === 285) base = 258;
    entry[symbol] = LENGTH | (base << 16) | extra;
    perBit[symbol] = 257;
    base += 1 << extra;
  }
  return { entry, perBit };
}

function distanceSymbols(): Symbols {
  const entry = new Int32Array(32).fill(SPECIAL);
  const perBit = new Int32Array(32).fill(1);
  let base = 1;
  for (let symbol = 0; symbol < 30; symbol++) {
    const extra = symbol < 4 ? 0 : (symbol - 2) >> 1;
    entry[symbol] = (base << 16) | extra;
    perBit[symbol] = 257;
    base += 1 << extra;
  }
  return { entry, perBit };
}

/** Builds tables. Belongs to one thread. */
export class TableBuilder {
  private readonly literals = literalSymbols();
  private readonly distances = distanceSymbols();
  private readonly counts = new Int32Array(MAX_BITS + 2);
  private readonly offsets = new Int32Array(MAX_BITS + 2);
  private readonly lengthTable = new Int32Array(1 << LENGTH_BITS);
  private readonly sorted = new Int32Array(288);

  /**
   * Builds the table of literals and lengths.
   * @param lengths bits of the code of each symbol
   * @returns false for codes that are not complete, some of which are valid
   */
  buildLiterals(table: Int32Array, lengths: Uint8Array): boolean {
    if (this.sort(lengths) !== 0) return false;
    this.fill(table, LITERAL_BITS, this.literals);
    joinLiterals(table);
    return true;
  }

  /** Builds the table of distances, of which there may be one or none. Like `buildLiterals`. */
  buildDistances(table: Int32Array, lengths: Uint8Array): boolean {
    const left = this.sort(lengths);
    const used = this.offsets[MAX_BITS + 1]!;
    if (left !== 0 && !(used === 0 || (used === 1 && this.counts[1] === 1))) return false;
    this.fill(table, DISTANCE_BITS, this.distances);
    return true;
  }

  /**
   * Builds the table of the codes of code lengths, whose index has seven bits: bits of the code, symbol · 8.
   * @returns nothing for codes that are not complete
   */
  buildLengths(lengths: Uint8Array): Int32Array | undefined {
    if (this.sort(lengths) !== 0) return undefined;
    this.fill(this.lengthTable, LENGTH_BITS, LENGTH_SYMBOLS);
    return this.lengthTable;
  }

  /** Sorts the symbols by the lengths of their codes. @returns how many codes of 15 bits are not used; below zero when too many are */
  private sort(lengths: Uint8Array): number {
    const { counts, offsets, sorted } = this;
    counts.fill(0);
    for (let i = 0; i < lengths.length; i++) counts[lengths[i]!]!++;
    counts[0] = 0;
    let left = 1 << MAX_BITS;
    for (let bits = 1; bits <= MAX_BITS; bits++) {
      left -= counts[bits]! << (MAX_BITS - bits);
      offsets[bits + 1] = offsets[bits]! + counts[bits]!;
    }
    if (left < 0) return left;
    const next = offsets.slice();
    for (let i = 0; i < lengths.length; i++) if (lengths[i]! > 0) sorted[next[lengths[i]!]!++] = i;
    return left;
  }

  /** Fills a table. Codes count up, and are stored with their first bit lowest. */
  private fill(table: Int32Array, tableBits: number, { entry, perBit }: Symbols): void {
    const { counts, sorted } = this;
    table[0] = SPECIAL;
    let size = 1;
    let code = 0;
    let i = 0;
    for (let bits = 1; bits <= tableBits; bits++) {
      table.copyWithin(size, 0, size);
      size *= 2;
      for (let n = counts[bits]!; n > 0; n--) {
        const symbol = sorted[i++]!;
        table[code] = entry[symbol]! + bits * perBit[symbol]!;
        code = nextCode(code, bits);
      }
    }
    this.fillLonger(table, tableBits, { entry, perBit }, { code, i });
  }

  /** Fills tables of codes that are longer than an index, each for one beginning. */
  private fillLonger(
    table: Int32Array,
    tableBits: number,
    { entry, perBit }: Symbols,
    { code: firstCode, i: first }: { code: number; i: number },
  ): void {
    const { counts, sorted } = this;
    let code = firstCode;
    let i = first;
    let end = 1 << tableBits;
    let prefix = -1;
    let start = 0;
    let size = 0;
    for (let bits = tableBits + 1; bits <= MAX_BITS; bits++) {
      for (let left = counts[bits]!; left > 0; left--) {
        if ((code & ((1 << tableBits) - 1)) !== prefix) {
          prefix = code & ((1 << tableBits) - 1);
          const more = this.bitsOfLonger(bits - tableBits, left, tableBits);
          [start, size] = [end, 1 << more];
          end += size;
          table[prefix] = SPECIAL | LONGER | (start << 8) | more;
        }
        const symbol = sorted[i++]!;
        const value = entry[symbol]! + bits * perBit[symbol]!;
        for (let at = code >> tableBits; at < size; at += 1 << (bits - tableBits)) table[start + at] = value;
        code = nextCode(code, bits);
      }
    }
  }

  /** Returns the bits of the longest code with the same beginning. */
  private bitsOfLonger(bits: number, left: number, tableBits: number): number {
    let more = bits;
    let used = left;
    while (used < 1 << more && tableBits + more < MAX_BITS) {
      more++;
      used = 2 * used + this.counts[tableBits + more]!;
    }
    return more;
  }
}

/** Adds 1 to a number whose highest bit is stored lowest. After the last code it stays. */
function nextCode(code: number, bits: number): number {
  const zeros = code ^ ((1 << bits) - 1);
  if (zeros === 0) return code;
  const bit = 1 << (31 - Math.clz32(zeros));
  return (code & (bit - 1)) | bit;
}

/** Joins literals with the next ones, where the index has both. */
function joinLiterals(table: Int32Array): void {
  // From the end: what follows an entry is earlier in the table, and not joined yet.
  for (let index = (1 << LITERAL_BITS) - 1; index >= 0; index--) {
    const first = table[index]!;
    if (first < 0) continue;
    const bits = first & 63;
    const second = table[index >> bits]!;
    if (second < 0 || bits + (second & 63) > LITERAL_BITS || second >> 24 !== 1) continue;
    table[index] = (2 << 24) | ((second & 0xff00) << 8) | (first & 0xff00) | (bits + (second & 63));
  }
}
