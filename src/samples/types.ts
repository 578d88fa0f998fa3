/** Pixel type stored in the file, by its numpy name. Packed widths widen to the next whole type. */
export type SampleType =
  | 'uint8'
  | 'int8'
  | 'uint16'
  | 'int16'
  | 'uint32'
  | 'int32'
  | 'uint64'
  | 'int64'
  | 'float16'
  | 'float32'
  | 'float64';

/** A typed array of samples in the file's own type. 16- and 24-bit floats arrive widened to Float32Array. */
export type SampleArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

/** Array class of each sample type. */
export const SAMPLE_ARRAYS = {
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  uint32: Uint32Array,
  int32: Int32Array,
  uint64: BigUint64Array,
  int64: BigInt64Array,
  float16: Float32Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** Returns zeroed samples of a type; `float16` is held in a Float32Array. */
export function allocateSamples(type: SampleType, length: number): SampleArray {
  return new SAMPLE_ARRAYS[type](length);
}
