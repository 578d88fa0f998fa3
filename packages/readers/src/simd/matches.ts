/** What LZ4, Snappy, BloscLZ and LZF have in common: literals, and matches that repeat earlier output. */
import {
  above,
  add,
  atLeast,
  below,
  type Code,
  copyBytes,
  giveBack,
  i32,
  type Local,
  load8,
  loadVector,
  repeatWhile,
  shiftLeft,
  storeVector,
  subtract,
  swizzle,
  WasmFunction,
  when,
} from './assembler.js';

/** Results below zero. */
export const FAILURE = { truncated: -1, tooLong: -2, beforeOutput: -3, corrupted: -4 } as const;

/** Bytes after input and output that a copy may read or write, as it moves 16 bytes at a time. */
export const COPY_SLACK = 32;

/** Start of the memory: for each distance below 16 its pattern of 16 bytes, then how far the pattern advances. */
export const PATTERN_BYTES = 16 * 16 + 16;
const ADVANCES = 16 * 16;

/** Returns the content of the start of the memory. */
export function patternTable(): Uint8Array {
  const table = new Uint8Array(PATTERN_BYTES);
  for (let distance = 1; distance < 16; distance++) {
    for (let i = 0; i < 16; i++) table[distance * 16 + i] = i % distance;
    table[ADVANCES + distance] = 16 - (16 % distance);
  }
  return table;
}

/** Above this length, `memory.copy` is faster than vectors. */
const LONG = 128;

/** Ends the function with a failure. */
export const fail = (code: number): Code => giveBack(i32(code));

/** The variables of a decoder: input from `read` to `readEnd`, output from `start` to `end`, written up to `at`. */
export class MatchDecoder {
  readonly wasm: WasmFunction;
  readonly read: Local;
  readonly readEnd: Local;
  readonly start: Local;
  readonly end: Local;
  readonly at: Local;
  readonly length: Local;
  readonly distance: Local;
  readonly from: Local;
  private readonly stop: Local;
  private readonly pattern: Local;
  private readonly safeRead: Local;
  private readonly safeAt: Local;

  constructor(name: string) {
    this.wasm = new WasmFunction(name);
    [this.read, this.readEnd, this.start, this.end] = this.wasm.parameters;
    this.at = this.wasm.local();
    this.length = this.wasm.local();
    this.distance = this.wasm.local();
    this.from = this.wasm.local();
    this.stop = this.wasm.local();
    this.pattern = this.wasm.local('v128');
    this.safeRead = this.wasm.local();
    this.safeAt = this.wasm.local();
  }

  /** Starts a decoder whose short path reads less than `input` bytes and writes less than `output` bytes at a time. */
  begin(input: number, output: number): Code {
    const { read, readEnd, start, end, at, safeRead, safeAt } = this;
    const limit = (safe: Local, from: Local, to: Local, bytes: number) => [
      safe.set(i32(0)),
      when(above(subtract(to.get, from.get), i32(bytes)), safe.set(subtract(to.get, i32(bytes)))),
    ];
    return [at.set(start.get), limit(safeRead, read, readEnd, input), limit(safeAt, start, end, output)];
  }

  /** Runs the short path where input and output are too far from their ends for it to reach them. */
  whenSafe(shortPath: Code): Code {
    const { read, at, safeRead, safeAt } = this;
    return when(below(read.get, safeRead.get), when(below(at.get, safeAt.get), shortPath));
  }

  /**
   * Prepares a match whose distance allows vectors to be copied one after the other, and sets `from`; other matches go on
   * after `then`.
   */
  whenFar(beforeOutput: number, then: Code): Code {
    const { at, start, distance, from } = this;
    return when(above(distance.get, i32(15)), [
      when(below(subtract(at.get, start.get), distance.get), fail(beforeOutput)),
      from.set(subtract(at.get, distance.get)),
      then,
    ]);
  }

  /** Bytes of input that are left. */
  get available(): Code {
    return subtract(this.readEnd.get, this.read.get);
  }

  /** Bytes of output that are left. */
  get room(): Code {
    return subtract(this.end.get, this.at.get);
  }

  /** Copies `length` literals. */
  copyLiterals(tooShort: number, tooLong: number): Code {
    const { read, at, length, from, stop } = this;
    const copied = [at.set(stop.get), read.add(length.get)];
    return [
      when(above(length.get, this.available), fail(tooShort)),
      when(above(length.get, this.room), fail(tooLong)),
      stop.set(add(at.get, length.get)),
      when(
        below(length.get, i32(17)),
        [storeVector(at.get, loadVector(read.get)), copied],
        when(
          below(length.get, i32(LONG)),
          [
            from.set(read.get),
            repeatWhile(below(at.get, stop.get), [storeVector(at.get, loadVector(from.get)), at.add(16), from.add(16)]),
            copied,
          ],
          [copyBytes(at.get, read.get, length.get), copied],
        ),
      ),
    ];
  }

  /** Repeats `length` bytes of the output from `distance` before its end. */
  copyMatch(beforeOutput: number, tooLong: number): Code {
    const { at, start, length, distance, from, stop, pattern } = this;
    return [
      // A distance of 0 becomes the largest number.
      when(atLeast(subtract(distance.get, i32(1)), subtract(at.get, start.get)), fail(beforeOutput)),
      when(above(length.get, this.room), fail(tooLong)),
      stop.set(add(at.get, length.get)),
      from.set(subtract(at.get, distance.get)),
      when(
        above(distance.get, i32(15)),
        repeatWhile(below(at.get, stop.get), [storeVector(at.get, loadVector(from.get)), at.add(16), from.add(16)]),
        [
          pattern.set(swizzle(loadVector(from.get), loadVector(shiftLeft(distance.get, i32(4))))),
          from.set(load8(distance.get, ADVANCES)),
          repeatWhile(below(at.get, stop.get), [storeVector(at.get, pattern.get), at.add(from.get)]),
        ],
      ),
      at.set(stop.get),
    ];
  }
}
