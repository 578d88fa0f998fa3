import {
  above,
  add,
  and,
  atLeast,
  below,
  equal,
  forever,
  giveBack,
  i32,
  load8,
  load16,
  repeatWhile,
  shiftRight,
  type WasmFunction,
  when,
} from './assembler.js';
import { FAILURE, fail, MatchDecoder } from './matches.js';

/**
 * `lz4(read, readEnd, start, end)` decodes one LZ4 block (LZ4 block format, 2022). Returns the end of the output, or a
 * failure.
 */
export function lz4Function(): WasmFunction {
  const decoder = new MatchDecoder('lz4');
  const { wasm, read, readEnd, start, at, length, distance } = decoder;
  const [token, more] = [wasm.local(), wasm.local()];
  /** Adds length bytes until one is below 255. Lengths beyond the output end here, so that they cannot overflow. */
  const extend = repeatWhile(equal(more.get, i32(255)), [
    when(atLeast(read.get, readEnd.get), fail(FAILURE.truncated)),
    more.set(load8(read.get)),
    read.add(1),
    length.add(more.get),
    when(above(length.get, add(decoder.room, i32(255))), fail(FAILURE.tooLong)),
  ]);
  return wasm.define([
    at.set(start.get),
    forever(() => [
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
      when(equal(length.get, i32(19)), extend),
      decoder.copyMatch(FAILURE.beforeOutput, FAILURE.tooLong),
    ]),
    i32(FAILURE.truncated),
  ]);
}
