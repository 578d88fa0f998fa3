import {
  above,
  add,
  and,
  below,
  type Code,
  forever,
  giveBack,
  i32,
  isNegative,
  isZero,
  type Local,
  load8,
  load32,
  load64,
  loadVector,
  lowWord,
  or,
  orLong,
  repeatWhile,
  shiftLeft,
  shiftLongLeft,
  shiftLongRight,
  shiftRight,
  store16,
  store32,
  storeVector,
  subtract,
  swizzle,
  WasmFunction,
  when,
  xor,
} from './assembler.js';
import { DISTANCE_BITS, END, LITERAL_BITS, LITERAL_ENTRIES, LONGER, SPECIAL } from './inflate-tables.js';
import { FAILURE, fail, PATTERN_BYTES } from './matches.js';

/** Addresses: patterns of short distances (see `matches.ts`), what a call is told and tells, the tables. */
export const STATE = 512;
export const LITERAL_TABLE = 1024;
export const DISTANCE_TABLE = LITERAL_TABLE + 4 * LITERAL_ENTRIES;
/** In the state: where the input ends; where input (in bits) and output ended. */
export const STATE_WORDS = { readEnd: 0, position: 1, at: 2 } as const;

/** Bytes that may be read after the input, and written after the output. */
export const INFLATE_SLACK = 512;

/** Literals that are decoded between two refills: each look-up takes at most 11 of 56 bits. */
const LITERALS_AT_ONCE = 4;

/**
 * `inflate(position, at, end, start)` decodes the symbols of one block of deflate (RFC 1951), whose tables are in the
 * memory, from a position in bits. Returns 0 at the end of the block, or a failure. The input is followed by zeros; that it
 * was not exceeded is for the caller to check, who knows from the checksum, too.
 */
export function inflateFunction(): WasmFunction {
  const wasm = new WasmFunction('inflate');
  const [position, at, end, start] = wasm.parameters;
  const [bits, saved] = [wasm.local('i64'), wasm.local('i64')];
  const [read, count, entry, length, distance, from, stop, readEnd] = Array.from({ length: 8 }, () => wasm.local()) as [
    Local,
    Local,
    Local,
    Local,
    Local,
    Local,
    Local,
    Local,
  ];
  const pattern = wasm.local('v128');
  const indexOf = (size: number) => shiftLeft(and(lowWord(bits.get), i32((1 << size) - 1)), i32(2));
  const take = (from: Local): Code => [
    bits.set(shiftLongRight(bits.get, from.get)),
    count.set(subtract(count.get, from.get)),
  ];
  /** Fills up to 56 bits or more. Only the lowest six bits of `count` mean something. */
  const refill = [
    bits.set(orLong(bits.get, shiftLongLeft(load64(read.get), count.get))),
    read.add(and(shiftRight(xor(count.get, i32(63)), i32(3)), i32(7))),
    count.set(or(count.get, i32(56))),
  ];
  const lookUp = entry.set(load32(indexOf(LITERAL_BITS), LITERAL_TABLE));
  const putLiterals = [
    store16(at.get, shiftRight(entry.get, i32(8))),
    at.add(shiftRight(entry.get, i32(24))),
    take(entry),
  ];
  const literals = (again: Code, left: number): Code => {
    const more = left > 1 ? [lookUp, literals(again, left - 1)] : again;
    return when(isZero(isNegative(entry.get)), [putLiterals, more]);
  };
  /** The entry of a longer code. */
  const lookUpLonger = (table: number, tableBits: number): Code => {
    const mask = subtract(shiftLeft(i32(1), entry.get), i32(1));
    const index = and(lowWord(shiftLongRight(bits.get, i32(tableBits))), mask);
    const first = and(shiftRight(entry.get, i32(8)), i32(0x3fff));
    return entry.set(load32(shiftLeft(add(first, index), i32(2)), table));
  };
  /** Base and extra bits of a length or distance. */
  const value = (mask: number): Code => {
    const used = subtract(shiftLeft(i32(1), entry.get), i32(1));
    const extra = shiftRight(and(lowWord(saved.get), used), shiftRight(entry.get, i32(8)));
    return add(and(shiftRight(entry.get, i32(16)), i32(mask)), extra);
  };
  const finish = [
    take(entry),
    store32(i32(STATE), subtract(shiftLeft(read.get, i32(3)), and(count.get, i32(63))), 4 * STATE_WORDS.position),
    store32(i32(STATE), at.get, 4 * STATE_WORDS.at),
    giveBack(i32(0)),
  ];
  const isSpecial = isZero(xor(and(entry.get, i32(SPECIAL)), i32(SPECIAL)));
  const special = (again: Code): Code =>
    when(isSpecial, [
      when(and(entry.get, i32(LONGER)), lookUpLonger(LITERAL_TABLE, LITERAL_BITS)),
      when(isZero(isNegative(entry.get)), [putLiterals, again]),
      when(isSpecial, [when(and(entry.get, i32(END)), finish), fail(FAILURE.corrupted)]),
    ]);
  const copy: Code = [
    stop.set(add(at.get, length.get)),
    from.set(subtract(at.get, distance.get)),
    when(
      above(distance.get, i32(15)),
      repeatWhile(below(at.get, stop.get), [storeVector(at.get, loadVector(from.get)), at.add(16), from.add(16)]),
      [
        pattern.set(swizzle(loadVector(from.get), loadVector(shiftLeft(distance.get, i32(4))))),
        from.set(load8(distance.get, PATTERN_BYTES - 16)),
        repeatWhile(below(at.get, stop.get), [storeVector(at.get, pattern.get), at.add(from.get)]),
      ],
    ),
    at.set(stop.get),
  ];
  return wasm.define([
    read.set(shiftRight(position.get, i32(3))),
    readEnd.set(load32(i32(STATE), 4 * STATE_WORDS.readEnd)),
    refill,
    entry.set(and(position.get, i32(7))),
    take(entry),
    forever((again) => [
      when(above(read.get, readEnd.get), fail(FAILURE.truncated)),
      when(above(at.get, end.get), fail(FAILURE.tooLong)),
      refill,
      lookUp,
      literals(again, LITERALS_AT_ONCE),
      refill,
      special(again),
      saved.set(bits.get),
      take(entry),
      length.set(value(511)),
      entry.set(load32(indexOf(DISTANCE_BITS), DISTANCE_TABLE)),
      when(isNegative(entry.get), [
        when(isZero(and(entry.get, i32(LONGER))), fail(FAILURE.corrupted)),
        lookUpLonger(DISTANCE_TABLE, DISTANCE_BITS),
        when(isNegative(entry.get), fail(FAILURE.corrupted)),
      ]),
      saved.set(bits.get),
      take(entry),
      distance.set(value(0x7fff)),
      when(above(distance.get, subtract(at.get, start.get)), fail(FAILURE.beforeOutput)),
      copy,
    ]),
    i32(FAILURE.corrupted),
  ]);
}
