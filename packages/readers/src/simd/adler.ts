import {
  above,
  add,
  and,
  below,
  bytesHigh,
  bytesLow,
  i32,
  type Local,
  loadVector,
  multiply,
  multiplyPairs,
  or,
  pairBytes,
  pairShorts,
  remainder,
  repeatWhile,
  shiftLeft,
  shiftRight,
  subtract,
  vector,
  WasmFunction,
  when,
  word,
  wordAdd,
} from './assembler.js';

/** Bytes after which sums are reduced: far below what 32 bits hold. */
const RUN = 4096;
const BASE = 65_521;

/** Bytes are weighted by how often they count in the second sum. */
const weights = (first: number) => vector(Array.from({ length: 8 }, (_, i) => [first - i, 0]).flat());

/** `adler32(at, end, value)` continues an Adler-32 checksum (RFC 1950, 8.2) over a multiple of 16 bytes. */
export function adlerFunction(): WasmFunction {
  const wasm = new WasmFunction('adler32');
  const [at, end, value] = wasm.parameters;
  const [low, high, stop] = [wasm.local(), wasm.local(), wasm.local()];
  const [bytes, sums, earlier, weighted] = wasm.vectors(4) as [Local, Local, Local, Local];
  const zero = vector(new Array<number>(16).fill(0));
  const total = (sum: Local) => [0, 1, 2, 3].map((lane) => word(sum.get, lane)).reduce((a, b) => add(a, b));
  const step = [
    bytes.set(loadVector(at.get)),
    earlier.set(wordAdd(earlier.get, sums.get)),
    sums.set(wordAdd(sums.get, pairShorts(pairBytes(bytes.get)))),
    weighted.set(wordAdd(weighted.get, multiplyPairs(bytesLow(bytes.get), weights(16)))),
    weighted.set(wordAdd(weighted.get, multiplyPairs(bytesHigh(bytes.get), weights(8)))),
    at.add(16),
  ];
  const run = [
    stop.set(subtract(end.get, at.get)),
    when(above(stop.get, i32(RUN)), stop.set(i32(RUN))),
    high.add(multiply(low.get, stop.get)),
    stop.set(add(at.get, stop.get)),
    [sums, earlier, weighted].map((sum) => sum.set(zero)),
    repeatWhile(below(at.get, stop.get), step),
    high.set(remainder(add(high.get, add(shiftLeft(total(earlier), i32(4)), total(weighted))), i32(BASE))),
    low.set(remainder(add(low.get, total(sums)), i32(BASE))),
  ];
  return wasm.define([
    low.set(and(value.get, i32(0xffff))),
    high.set(shiftRight(value.get, i32(16))),
    when(below(at.get, end.get), repeatWhile(below(at.get, end.get), run)),
    or(shiftLeft(high.get, i32(16)), low.get),
  ]);
}
