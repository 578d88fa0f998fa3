/** Interleaved samples: those of one channel are `step` samples apart. */
import {
  add,
  below,
  type Code,
  i32,
  loadVector,
  repeatWhile,
  shiftLeft,
  storeVector,
  swizzle,
  vector,
  vectorOr,
  WasmFunction,
  when,
} from './assembler.js';

/** Bytes of a sample. */
export type SampleWidth = 1 | 2 | 4 | 8;

/** More channels than this are picked by a loop over samples. */
export const MAX_STEP = 8;

/** `pick(from, to, count)` puts every `step`-th of `count` · `step` samples together. May read and write 128 bytes beyond. */
export function pickFunction(width: SampleWidth, step: number): WasmFunction {
  const wasm = new WasmFunction('pick');
  const [from, to, count] = wasm.parameters;
  const end = wasm.local();
  const perVector = 16 / width;
  const vectors = Array.from({ length: step }, (_, i): Code => {
    // Bytes of the result that are in this vector of the input; an index outside of it gives 0.
    const mask = Array.from({ length: 16 }, (_, byte) => {
      const source = Math.floor(byte / width) * step * width + (byte % width);
      return Math.floor(source / 16) === i ? source % 16 : 255;
    });
    return swizzle(loadVector(from.get, 16 * i), vector(mask));
  });
  return wasm.define([
    end.set(add(to.get, shiftLeft(count.get, i32(Math.log2(width))))),
    when(
      below(to.get, end.get),
      repeatWhile(below(to.get, end.get), [
        storeVector(to.get, vectors.reduce(vectorOr)),
        from.add(perVector * step * width),
        to.add(16),
      ]),
    ),
    i32(0),
  ]);
}
