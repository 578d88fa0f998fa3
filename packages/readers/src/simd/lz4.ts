import {
  above,
  add,
  and,
  atLeast,
  below,
  type Code,
  equal,
  forever,
  giveBack,
  i32,
  load8,
  load16,
  loadVector,
  repeatWhile,
  shiftRight,
  store16,
  storeVector,
  subtract,
  type WasmFunction,
  when,
} from './assembler.js';
import { FAILURE, fail, MatchDecoder } from './matches.js';

/** Bytes that the short path stays below: a token, 16 bytes of literals, a distance; 14 literals and a match. */
const SHORT_INPUT = 20;
const SHORT_OUTPUT = 40;

/**
 * `lz4(read, readEnd, start, end)` decodes one LZ4 block (LZ4 block format, 2022). Returns the end of the output, or a
 * failure.
 */
export function lz4Function(): WasmFunction {
  const decoder = new MatchDecoder('lz4');
  const { wasm, read, readEnd, at, length, distance, from } = decoder;
  const [token, more] = [wasm.local(), wasm.local()];
  /** Adds length bytes until one is below 255. Lengths beyond the output end here, so that they cannot overflow. */
  const extend = repeatWhile(equal(more.get, i32(255)), [
    when(atLeast(read.get, readEnd.get), fail(FAILURE.truncated)),
    more.set(load8(read.get)),
    read.add(1),
    length.add(more.get),
    when(above(length.get, add(decoder.room, i32(255))), fail(FAILURE.tooLong)),
  ]);
  const match = [when(equal(length.get, i32(19)), extend), decoder.copyMatch(FAILURE.beforeOutput, FAILURE.tooLong)];
  /**
   * Nearly all sequences: up to 14 literals, copied without asking how many, and a match of up to 18 bytes. It takes one
   * branch that goes both ways less.
   */
  const shortPath = (again: Code): Code => [
    token.set(load8(read.get)),
    when(below(token.get, i32(15 << 4)), [
      storeVector(at.get, loadVector(read.get, 1)),
      length.set(shiftRight(token.get, i32(4))),
      at.add(length.get),
      read.add(add(length.get, i32(3))),
      distance.set(load16(subtract(read.get, i32(2)))),
      length.set(add(and(token.get, i32(15)), i32(4))),
      when(
        below(length.get, i32(19)),
        decoder.whenFar(FAILURE.beforeOutput, [
          storeVector(at.get, loadVector(from.get)),
          store16(at.get, load16(from.get, 16), 16),
          at.add(length.get),
          again,
        ]),
      ),
      match,
      again,
    ]),
  ];
  return wasm.define([
    decoder.begin(SHORT_INPUT, SHORT_OUTPUT),
    forever((again) => [
      decoder.whenSafe(shortPath(again)),
      when(atLeast(read.get, readEnd.get), fail(FAILURE.truncated)),
      token.set(load8(read.get)),
      read.add(1),
      length.set(shiftRight(token.get, i32(4))),
      when(length.get, [
        when(equal(length.get, i32(15)), extend),
        decoder.copyLiterals(FAILURE.truncated, FAILURE.tooLong),
      ]),
      when(equal(read.get, readEnd.get), giveBack(at.get)),
      when(below(decoder.available, i32(2)), fail(FAILURE.truncated)),
      distance.set(load16(read.get)),
      read.add(2),
      length.set(add(and(token.get, i32(15)), i32(4))),
      match,
    ]),
    i32(FAILURE.truncated),
  ]);
}
