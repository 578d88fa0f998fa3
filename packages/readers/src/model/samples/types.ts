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

/** How NumPy, and Zarr 2, write each type; `float16` is held in a Float32Array. */
export const NUMPY_TYPES = {
  uint8: '|u1',
  int8: '|i1',
  uint16: '<u2',
  int16: '<i2',
  uint32: '<u4',
  int32: '<i4',
  uint64: '<u8',
  int64: '<i8',
  float16: '<f4',
  float32: '<f4',
  float64: '<f8',
} as const satisfies Record<SampleType, string>;

/** True for the type of integers that float32 holds exactly, and that take less memory than it. */
export function isSmallInteger(type: string): boolean {
  return type === 'uint8' || type === 'int8' || type === 'uint16' || type === 'int16';
}

/** Returns the type in which planes that are served as float32 are kept in memory. */
export function heldType(type: SampleType): SampleType {
  return isSmallInteger(type) ? type : 'float32';
}

/** Returns the type of samples that a plane of a file has in memory: `float16` is held in a Float32Array. */
export function nativeType(type: SampleType): SampleType {
  return type === 'float16' ? 'float32' : type;
}

/** Bytes of a sample in memory; `float16` is held in a Float32Array. */
export function bytesPerElement(type: SampleType): number {
  return SAMPLE_ARRAYS[type].BYTES_PER_ELEMENT;
}

/** Bytes of a sample in a file. */
export function storedBytes(type: SampleType): number {
  return type === 'float16' ? 2 : bytesPerElement(type);
}

/** Returns a view of the first `length` samples of a buffer. */
export function viewSamples(type: SampleType, buffer: ArrayBuffer, length: number): SampleArray {
  return new SAMPLE_ARRAYS[type](buffer, 0, length);
}

/** Fills samples `from` … `to` − 1 with zeros. */
export function fillZeros(samples: SampleArray, from: number, to: number): void {
  if (isBig(samples)) samples.fill(0n, from, to);
  else samples.fill(0, from, to);
}

/** True for 64-bit integers, whose samples are `bigint`. */
export function isBig(samples: SampleArray): samples is BigUint64Array | BigInt64Array {
  return samples instanceof BigUint64Array || samples instanceof BigInt64Array;
}

/** Returns zeroed samples of a type; `float16` is held in a Float32Array. */
export function allocateSamples(type: SampleType, length: number): SampleArray {
  return new SAMPLE_ARRAYS[type](length);
}
