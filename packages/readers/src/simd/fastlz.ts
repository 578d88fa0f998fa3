/** Descendants of FastLZ: BloscLZ and LZF. A control byte below 32 starts literals, any other one a match. */
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
  type Local,
  load8,
  or,
  repeatWhile,
  shiftLeft,
  shiftRight,
  subtract,
  type WasmFunction,
  when,
} from './assembler.js';
import { FAILURE, fail, MatchDecoder } from './matches.js';

const { corrupted } = FAILURE;
/** BloscLZ: a match at a larger distance has two more bytes for it. */
const FAR = 8191;

/** Sets `value` to the next byte of the input. */
function next({ read, readEnd }: MatchDecoder, value: Local): Code {
  return [when(atLeast(read.get, readEnd.get), fail(corrupted)), value.set(load8(read.get)), read.add(1)];
}

/** Copies the literals of a control byte. */
const literals = (decoder: MatchDecoder, control: Local): Code => [
  decoder.length.set(add(control.get, i32(1))),
  decoder.copyLiterals(corrupted, corrupted),
];

/**
 * `blosclz(read, readEnd, start, end)` decodes one BloscLZ stream. Returns the end of the output, or a failure.
 */
export function bloscLzFunction(): WasmFunction {
  const decoder = new MatchDecoder('blosclz');
  const { wasm, read, readEnd, start, at, length, distance } = decoder;
  const [control, more] = [wasm.local(), wasm.local()];
  const extend = repeatWhile(equal(more.get, i32(255)), [
    next(decoder, more),
    length.add(more.get),
    when(above(length.get, add(decoder.room, i32(255))), fail(corrupted)),
  ]);
  const match = [
    length.set(subtract(shiftRight(control.get, i32(5)), i32(1))),
    when(equal(length.get, i32(6)), [more.set(i32(255)), extend]),
    length.add(3),
    next(decoder, more),
    distance.set(add(or(shiftLeft(and(control.get, i32(31)), i32(8)), more.get), i32(1))),
    when(equal(distance.get, i32(FAR + 1)), [
      next(decoder, more),
      next(decoder, distance),
      distance.set(add(or(shiftLeft(more.get, i32(8)), distance.get), i32(FAR + 1))),
    ]),
    decoder.copyMatch(corrupted, corrupted),
  ];
  return wasm.define([
    at.set(start.get),
    next(decoder, control),
    control.set(and(control.get, i32(31))),
    forever(() => [
      when(below(control.get, i32(32)), literals(decoder, control), match),
      when(atLeast(read.get, readEnd.get), giveBack(at.get)),
      next(decoder, control),
    ]),
    i32(corrupted),
  ]);
}

/** `lzf(read, readEnd, start, end)` decodes LibLZF data. Returns the end of the output, or a failure. */
export function lzfFunction(): WasmFunction {
  const decoder = new MatchDecoder('lzf');
  const { wasm, read, readEnd, start, at, length, distance } = decoder;
  const [control, more] = [wasm.local(), wasm.local()];
  const match = [
    length.set(add(shiftRight(control.get, i32(5)), i32(2))),
    when(equal(length.get, i32(9)), [next(decoder, more), length.add(more.get)]),
    next(decoder, more),
    distance.set(add(or(shiftLeft(and(control.get, i32(31)), i32(8)), more.get), i32(1))),
    decoder.copyMatch(corrupted, corrupted),
  ];
  return wasm.define([
    at.set(start.get),
    forever(() => [
      when(atLeast(read.get, readEnd.get), giveBack(at.get)),
      next(decoder, control),
      when(below(control.get, i32(32)), literals(decoder, control), match),
    ]),
    i32(corrupted),
  ]);
}
