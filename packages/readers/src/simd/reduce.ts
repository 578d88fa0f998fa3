/** Rows become one: the smallest and the largest sample, and the sum, of each column, as float32. */
import {
  add,
  anyTrue,
  below,
  type Code,
  demote,
  doubleAdd,
  floatMax,
  floatMin,
  floatSubtract,
  highHalf,
  i32,
  joinHalves,
  type Local,
  loadVector,
  promoteLow,
  repeatWhile,
  shortMax,
  shortMin,
  storeVector,
  toFloats,
  vector,
  vectorOr,
  WasmFunction,
  widenHigh,
  widenLow,
  wordAdd,
} from './assembler.js';

/**
 * `reduce(from, to, rowBytes, rows)` reads `rows` ≥ 1 rows of `rowBytes` bytes, a multiple of 16. It writes three rows: the
 * smallest samples, the largest, and the sums, which are computed in float64. Returns 0 when all samples and sums are finite.
 * `combine` reads triples of such rows instead, `rows` of them.
 */
export function reduceFunction(name: 'reduce' | 'combine'): WasmFunction {
  const wasm = new WasmFunction(name);
  const [from, to, rowBytes, rows] = wasm.parameters;
  const [column, row, left, end, step] = [wasm.local(), wasm.local(), wasm.local(), wasm.local(), wasm.local()];
  const [sample, min, max] = [wasm.local('v128'), wasm.local('v128'), wasm.local('v128')];
  const [low, high, faults] = [wasm.local('v128'), wasm.local('v128'), wasm.local('v128')];
  const zero = vector(new Array(16).fill(0));
  const second = (address: Code) => add(address, rowBytes.get);
  const third = (address: Code) => add(second(address), rowBytes.get);
  const isReduced = name === 'combine';
  const firstMax = isReduced ? loadVector(second(row.get)) : min.get;
  const nextMin = isReduced ? loadVector(row.get) : sample.get;
  const nextMax = isReduced ? loadVector(second(row.get)) : sample.get;
  return wasm.define([
    column.set(from.get),
    end.set(add(from.get, rowBytes.get)),
    step.set(isReduced ? third(rowBytes.get) : rowBytes.get),
    repeatWhile(below(column.get, end.get), [
      row.set(column.get),
      left.set(rows.get),
      min.set(loadVector(row.get)),
      max.set(firstMax),
      low.set(zero),
      high.set(zero),
      repeatWhile(left.get, [
        sample.set(loadVector(isReduced ? third(row.get) : row.get)),
        min.set(floatMin(min.get, nextMin)),
        max.set(floatMax(max.get, nextMax)),
        low.set(doubleAdd(low.get, promoteLow(sample.get))),
        high.set(doubleAdd(high.get, promoteLow(highHalf(sample.get)))),
        // A finite sample minus itself is 0; the others give NaN.
        faults.set(vectorOr(faults.get, floatSubtract(sample.get, sample.get))),
        row.set(add(row.get, step.get)),
        left.add(-1),
      ]),
      storeVector(to.get, min.get),
      storeVector(second(to.get), max.get),
      sample.set(joinHalves(demote(low.get), demote(high.get))),
      faults.set(vectorOr(faults.get, floatSubtract(sample.get, sample.get))),
      storeVector(third(to.get), sample.get),
      column.add(16),
      to.add(16),
    ]),
    anyTrue(faults.get),
  ]);
}

/**
 * `reduceShorts(from, to, rowBytes, rows)` is `reduce` for rows of unsigned integers of 16 bits, at most 65,536 of them. The
 * rows that it writes are twice as long.
 */
export function reduceShortsFunction(): WasmFunction {
  const wasm = new WasmFunction('reduceShorts');
  const [from, to, rowBytes, rows] = wasm.parameters;
  const [column, row, left, end, outBytes] = [wasm.local(), wasm.local(), wasm.local(), wasm.local(), wasm.local()];
  const [sample, min, max, low, high] = wasm.vectors(5) as [Local, Local, Local, Local, Local];
  const zero = vector(new Array(16).fill(0));
  const second = (address: Code) => add(address, outBytes.get);
  const putBoth = (address: Code, lower: Code, upper: Code) => [
    storeVector(address, toFloats(lower)),
    storeVector(address, toFloats(upper), 16),
  ];
  return wasm.define([
    column.set(from.get),
    end.set(add(from.get, rowBytes.get)),
    outBytes.set(add(rowBytes.get, rowBytes.get)),
    repeatWhile(below(column.get, end.get), [
      row.set(column.get),
      left.set(rows.get),
      min.set(loadVector(row.get)),
      max.set(min.get),
      low.set(zero),
      high.set(zero),
      repeatWhile(left.get, [
        sample.set(loadVector(row.get)),
        min.set(shortMin(min.get, sample.get)),
        max.set(shortMax(max.get, sample.get)),
        low.set(wordAdd(low.get, widenLow(sample.get))),
        high.set(wordAdd(high.get, widenHigh(sample.get))),
        row.add(rowBytes.get),
        left.add(-1),
      ]),
      putBoth(to.get, widenLow(min.get), widenHigh(min.get)),
      putBoth(second(to.get), widenLow(max.get), widenHigh(max.get)),
      putBoth(second(second(to.get)), low.get, high.get),
      column.add(16),
      to.add(32),
    ]),
    i32(0),
  ]);
}
