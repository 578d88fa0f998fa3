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
  loadVector,
  multiply,
  or,
  shiftLeft,
  shiftRight,
  storeVector,
  subtract,
  type WasmFunction,
  when,
} from './assembler.js';
import { FAILURE, fail, MatchDecoder } from './matches.js';

/** Bytes that the short path stays below: a tag and 16 literals; a match of 64 bytes. */
const SHORT_INPUT = 20;
const SHORT_OUTPUT = 80;

/**
 * `snappy(read, readEnd, start, end)` decodes the elements of a raw Snappy stream (format description of 2011), without the
 * length in front. Returns the end of the output, or a failure.
 */
export function snappyFunction(): WasmFunction {
  const decoder = new MatchDecoder('snappy');
  const { wasm, read, readEnd, at, length, distance, from } = decoder;
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
  const isFar = wasm.local();
  const [farMask, nearMask] = [subtract(i32(0), isFar.get), subtract(isFar.get, i32(1))];
  /** Sets distance and length of a match with one or two more bytes without a branch: the kinds alternate at random. */
  const nearOrFar = [
    isFar.set(subtract(kind.get, i32(1))),
    distance.set(
      or(and(load16(read.get, 1), or(i32(255), farMask)), and(shiftLeft(and(tag.get, i32(0xe0)), i32(3)), nearMask)),
    ),
    length.set(add(and(length.get, or(i32(7), farMask)), add(i32(4), and(farMask, i32(-3))))),
    read.add(add(isFar.get, i32(2))),
  ];
  /** Nearly all elements: up to 16 literals, and matches with one or two more bytes. */
  const shortPath = (again: Code): Code => [
    tag.set(load8(read.get)),
    kind.set(and(tag.get, i32(3))),
    length.set(shiftRight(tag.get, i32(2))),
    when(
      isZero(kind.get),
      when(below(length.get, i32(16)), [
        storeVector(at.get, loadVector(read.get, 1)),
        at.add(add(length.get, i32(1))),
        read.add(add(length.get, i32(2))),
        again,
      ]),
      when(below(kind.get, i32(3)), [
        nearOrFar,
        decoder.whenFar(corrupted, [
          storeVector(at.get, loadVector(from.get)),
          when(above(length.get, i32(16)), [
            storeVector(at.get, loadVector(from.get, 16), 16),
            storeVector(at.get, loadVector(from.get, 32), 32),
            storeVector(at.get, loadVector(from.get, 48), 48),
          ]),
          at.add(length.get),
          again,
        ]),
        decoder.copyMatch(corrupted, corrupted),
        again,
      ]),
    ),
  ];
  return wasm.define([
    decoder.begin(SHORT_INPUT, SHORT_OUTPUT),
    forever((again) => [
      decoder.whenSafe(shortPath(again)),
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
