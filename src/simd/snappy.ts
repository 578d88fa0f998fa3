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
  isZero,
  load8,
  load16,
  load32,
  multiply,
  or,
  shiftLeft,
  shiftRight,
  subtract,
  type WasmFunction,
  when,
} from './assembler.js';
import { FAILURE, fail, MatchDecoder } from './matches.js';

/**
 * `snappy(read, readEnd, start, end)` decodes the elements of a raw Snappy stream (format description of 2011), without the
 * length in front. Returns the end of the output, or a failure.
 */
export function snappyFunction(): WasmFunction {
  const decoder = new MatchDecoder('snappy');
  const { wasm, read, readEnd, start, at, length, distance } = decoder;
  const [tag, kind, extra] = [wasm.local(), wasm.local(), wasm.local()];
  const { corrupted } = FAILURE;
  /** Keeps the lowest `extra` bytes of four that were read at once. */
  const extraBytes = (value: Code) => and(value, shiftRight(i32(-1), subtract(i32(32), multiply(extra.get, i32(8)))));
  const literals = [
    length.set(shiftRight(tag.get, i32(2))),
    when(above(length.get, i32(59)), [
      extra.set(subtract(length.get, i32(59))),
      when(above(extra.get, decoder.available), fail(corrupted)),
      length.set(extraBytes(load32(read.get))),
      read.add(extra.get),
    ]),
    when(atLeast(length.get, decoder.room), fail(corrupted)),
    length.add(1),
    decoder.copyLiterals(corrupted, corrupted),
  ];
  const near = [
    when(below(decoder.available, i32(1)), fail(corrupted)),
    distance.set(or(shiftLeft(shiftRight(tag.get, i32(5)), i32(8)), load8(read.get))),
    read.add(1),
    length.set(add(and(shiftRight(tag.get, i32(2)), i32(7)), i32(4))),
  ];
  const far = [
    length.set(add(shiftRight(tag.get, i32(2)), i32(1))),
    when(
      equal(kind.get, i32(2)),
      [when(below(decoder.available, i32(2)), fail(corrupted)), distance.set(load16(read.get)), read.add(2)],
      [when(below(decoder.available, i32(4)), fail(corrupted)), distance.set(load32(read.get)), read.add(4)],
    ),
  ];
  return wasm.define([
    at.set(start.get),
    forever((again) => [
      when(atLeast(read.get, readEnd.get), giveBack(at.get)),
      tag.set(load8(read.get)),
      read.add(1),
      kind.set(and(tag.get, i32(3))),
      when(isZero(kind.get), [literals, again]),
      when(equal(kind.get, i32(1)), near, far),
      decoder.copyMatch(corrupted, corrupted),
    ]),
    i32(corrupted),
  ]);
}
