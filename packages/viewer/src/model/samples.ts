/**
 * Row-major samples of one plane: in the type of the file for integers of 8 and 16 bits, otherwise float32. Only float32
 * has NaN and infinities.
 */
export type Samples = Float32Array | Uint8Array | Int8Array | Uint16Array | Int16Array;

export function isFloat(samples: Samples): samples is Float32Array {
  return samples instanceof Float32Array;
}
