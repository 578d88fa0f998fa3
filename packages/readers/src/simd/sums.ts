/** Running sums of the samples of rows: what undoes horizontal differencing. */
import {
  add,
  below,
  byteAdd,
  i32,
  loadVector,
  repeatWhile,
  shortAdd,
  storeVector,
  subtract,
  swizzle,
  vector,
  WasmFunction,
  when,
  wordAdd,
} from './assembler.js';

/** Bytes of a sample. */
export type SumWidth = 1 | 2 | 4;

const ADD = { 1: byteAdd, 2: shortAdd, 4: wordAdd } as const;
/** An index that picks nothing: the byte becomes 0. */
const NOTHING = 255;

/**
 * `sums(from, to, rowBytes, rows)` adds up the samples of each row, each row from zero on; sums wrap. May read and write 15
 * bytes beyond.
 */
export function sumsFunction(width: SumWidth): WasmFunction {
  const wasm = new WasmFunction('sums');
  const [from, to, rowBytes, rows] = wasm.parameters;
  const end = wasm.local();
  const [sums, before] = [wasm.local('v128'), wasm.local('v128')];
  const plus = ADD[width];
  /** Adds to each byte the one `shift` bytes before it. */
  const addShifted = (shift: number) => {
    const indices = Array.from({ length: 16 }, (_, i) => (i < shift ? NOTHING : i - shift));
    return sums.set(plus(sums.get, swizzle(sums.get, vector(indices))));
  };
  const shifts = [1, 2, 4, 8].filter((shift) => shift >= width);
  const last = Array.from({ length: 16 }, (_, i) => 16 - width + (i % width));
  const row = [
    end.set(add(from.get, rowBytes.get)),
    before.set(vector(new Array(16).fill(0))),
    repeatWhile(below(from.get, end.get), [
      sums.set(loadVector(from.get)),
      shifts.map(addShifted),
      storeVector(to.get, plus(sums.get, before.get)),
      before.set(plus(before.get, swizzle(sums.get, vector(last)))),
      from.add(16),
      to.add(16),
    ]),
    // The last vector reached into the next row.
    to.set(subtract(to.get, subtract(from.get, end.get))),
    from.set(end.get),
    rows.add(-1),
  ];
  return wasm.define([when(rowBytes.get, when(rows.get, repeatWhile(rows.get, row))), i32(0)]);
}
