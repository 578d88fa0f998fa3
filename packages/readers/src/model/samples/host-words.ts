import { swapBytes } from './swap.js';
import { SAMPLE_ARRAYS, type SampleArray, type SampleType } from './types.js';

/**
 * Views `bytes` as `count` unsigned words of 8, 16, 32 or 64 bits. Big-endian words are swapped in place: every machine
 * that runs the server is little-endian, which it checks when it starts. Unaligned bytes are copied first.
 */
export function toHostWords(bytes: Uint8Array, bits: number, count: number, littleEndian: boolean): SampleArray {
  if (bits === 8) return bytes.subarray(0, count);
  const size = bits / 8;
  const aligned = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  const memory = aligned.buffer as ArrayBuffer;
  if (!littleEndian) swapBytes(aligned.subarray(0, count * size), size);
  const Words = size === 2 ? Uint16Array : size === 4 ? Uint32Array : BigUint64Array;
  return new Words(memory, aligned.byteOffset, count);
}

/** Views the same memory as another type of the same width. */
export function viewAs(words: SampleArray, type: SampleType): SampleArray {
  return new SAMPLE_ARRAYS[type](words.buffer as ArrayBuffer, words.byteOffset, words.length);
}
