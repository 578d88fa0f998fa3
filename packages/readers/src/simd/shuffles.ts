/** Shuffle filters: bytes, or bits, of the same position of all samples are stored together. */
import {
  add,
  below,
  type Code,
  i32,
  interleave,
  type Local,
  loadVector,
  repeatWhile,
  shiftLeft64,
  shiftRight64,
  storeVector,
  vector,
  vectorAnd,
  vectorXor,
  WasmFunction,
  when,
} from './assembler.js';

/** Bytes after the output that the functions may write, as they store up to this many at a time. */
export const SHUFFLE_SLACK = 256;

/** Merges vectors in order until each is complete: `rows` are the bytes of one position each. */
function mergeRows(rows: readonly Local[], spare: readonly Local[]): { code: Code[]; merged: readonly Local[] } {
  const code: Code[] = [];
  let [from, to] = [rows, spare];
  // Interleaving the first half of the rows with the second half, log2 times, puts the bytes of each sample in order.
  for (let step = rows.length; step > 1; step /= 2) {
    const half = rows.length / 2;
    for (let i = 0; i < half; i++) {
      const [a, b] = [from[i]!.get, from[i + half]!.get];
      code.push(to[2 * i]!.set(interleave(a, b, 1, 'low')), to[2 * i + 1]!.set(interleave(a, b, 1, 'high')));
    }
    [from, to] = [to, from];
  }
  return { code, merged: from };
}

/** `unshuffleN(from, to, stride, count)` joins the N bytes of each of `count` samples, which are `stride` bytes apart. */
export function unshuffleFunction(typeSize: 2 | 4 | 8): WasmFunction {
  const wasm = new WasmFunction(`unshuffle${typeSize}`);
  const [from, to, stride, count] = wasm.parameters;
  const end = wasm.local();
  const at = wasm.local();
  const rows = wasm.vectors(typeSize);
  const spare = wasm.vectors(typeSize);
  const { code, merged } = mergeRows(rows, spare);
  return wasm.define([
    end.set(add(from.get, count.get)),
    when(
      count.get,
      repeatWhile(below(from.get, end.get), [
        at.set(from.get),
        rows.map((row, i) => [row.set(loadVector(at.get)), i < typeSize - 1 ? at.add(stride.get) : []]),
        code,
        merged.map((row, i) => storeVector(to.get, row.get, 16 * i)),
        from.add(16),
        to.add(16 * typeSize),
      ]),
    ),
    i32(0),
  ]);
}

const lanes64 = (low: number, high: number) => {
  const bytes = [0, 8, 16, 24]
    .map((shift) => (low >>> shift) & 255)
    .concat([0, 8, 16, 24].map((shift) => (high >>> shift) & 255));
  return vector([...bytes, ...bytes]);
};

/** Transposes the 8 × 8 bits in both halves of a vector (Hacker's Delight, 7-3). */
function transposeBits(x: Local, t: Local): Code {
  const swap = (shift: number, mask: Code): Code => [
    t.set(vectorAnd(vectorXor(x.get, shiftRight64(x.get, i32(shift))), mask)),
    x.set(vectorXor(vectorXor(x.get, t.get), shiftLeft64(t.get, i32(shift)))),
  ];
  return [
    swap(7, lanes64(0x00aa00aa, 0x00aa00aa)),
    swap(14, lanes64(0x0000cccc, 0x0000cccc)),
    swap(28, lanes64(0xf0f0f0f0, 0x00000000)),
  ];
}

/**
 * `untransposeBits(from, to, stride, count)` turns eight rows of `count` bytes, one for each bit and `stride` bytes apart,
 * into one byte for each of `8 · count` samples, the first sample from the lowest bits.
 */
export function untransposeFunction(): WasmFunction {
  const wasm = new WasmFunction('untransposeBits');
  const [from, to, stride, count] = wasm.parameters;
  const end = wasm.local();
  const at = wasm.local();
  const spareBits = wasm.local('v128');
  const rows = wasm.vectors(8);
  const spare = wasm.vectors(8);
  const { code, merged } = mergeRows(rows, spare);
  return wasm.define([
    end.set(add(from.get, count.get)),
    when(
      count.get,
      repeatWhile(below(from.get, end.get), [
        at.set(from.get),
        rows.map((row, i) => [row.set(loadVector(at.get)), i < 7 ? at.add(stride.get) : []]),
        code,
        merged.map((row, i) => [transposeBits(row, spareBits), storeVector(to.get, row.get, 16 * i)]),
        from.add(16),
        to.add(128),
      ]),
    ),
    i32(0),
  ]);
}
