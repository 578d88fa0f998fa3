/** Rows of float32 become one: the smallest and the largest sample, and the sum, of each column. */
import {
  add,
  anyTrue,
  below,
  demote,
  doubleAdd,
  floatMax,
  floatMin,
  floatSubtract,
  highHalf,
  joinHalves,
  loadVector,
  promoteLow,
  repeatWhile,
  storeVector,
  vector,
  vectorOr,
  WasmFunction,
} from './assembler.js';

/**
 * `reduce(from, to, rowBytes, rows)` reads `rows` ≥ 1 rows of `rowBytes` bytes, a multiple of 16. It writes three rows: the
 * smallest samples, the largest, and the sums, which are computed in float64. Returns 0 when all samples and sums are finite.
 */
export function reduceFunction(): WasmFunction {
  const wasm = new WasmFunction('reduce');
  const [from, to, rowBytes, rows] = wasm.parameters;
  const [column, row, left, end] = [wasm.local(), wasm.local(), wasm.local(), wasm.local()];
  const [sample, min, max] = [wasm.local('v128'), wasm.local('v128'), wasm.local('v128')];
  const [low, high, faults] = [wasm.local('v128'), wasm.local('v128'), wasm.local('v128')];
  const zero = vector(new Array(16).fill(0));
  return wasm.define([
    column.set(from.get),
    end.set(add(from.get, rowBytes.get)),
    repeatWhile(below(column.get, end.get), [
      row.set(column.get),
      left.set(rows.get),
      min.set(loadVector(row.get)),
      max.set(min.get),
      low.set(zero),
      high.set(zero),
      repeatWhile(left.get, [
        sample.set(loadVector(row.get)),
        min.set(floatMin(min.get, sample.get)),
        max.set(floatMax(max.get, sample.get)),
        low.set(doubleAdd(low.get, promoteLow(sample.get))),
        high.set(doubleAdd(high.get, promoteLow(highHalf(sample.get)))),
        // A finite sample minus itself is 0; the others give NaN.
        faults.set(vectorOr(faults.get, floatSubtract(sample.get, sample.get))),
        row.set(add(row.get, rowBytes.get)),
        left.add(-1),
      ]),
      storeVector(to.get, min.get),
      storeVector(add(to.get, rowBytes.get), max.get),
      sample.set(joinHalves(demote(low.get), demote(high.get))),
      faults.set(vectorOr(faults.get, floatSubtract(sample.get, sample.get))),
      storeVector(add(add(to.get, rowBytes.get), rowBytes.get), sample.get),
      column.add(16),
      to.add(16),
    ]),
    anyTrue(faults.get),
  ]);
}
