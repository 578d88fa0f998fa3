import { expect } from 'vitest';
import { MemorySource } from '../../packages/readers/src/io/byte-source.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import type { SampleType } from '../../packages/readers/src/model/samples/types.js';
import { allocateSamples, type SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { openTiff } from '../../packages/readers/src/tiff/parse.js';
import { readPageSample, readPageSamples } from '../../packages/readers/src/tiff/read-page.js';
import type { TiffFile } from '../../packages/readers/src/tiff/types.js';

/** Bytes from hexadecimal pairs. */
export const hex = (text: string) => Uint8Array.from(text.trim().split(/\s+/), (pair) => Number.parseInt(pair, 16));

/** A TIFF file in memory. */
export const openBytes = (bytes: Uint8Array): TiffFile => openTiff(new MemorySource('memory.tif', bytes));

/** Equality of samples and their type; quick for large arrays. */
export function expectSame(actual: SampleArray, expected: SampleArray): void {
  const bytes = ({ buffer, byteOffset, byteLength }: SampleArray) => Buffer.from(buffer, byteOffset, byteLength);
  const same = actual.constructor === expected.constructor && bytes(actual).equals(bytes(expected));
  if (!same) expect(actual).toEqual(expected);
  expect(same).toBe(true);
}

/** Samples of page `index`, one array per sample of a pixel. */
export async function readAll(bytes: Uint8Array, index = 0): Promise<SampleArray[]> {
  const file = openBytes(bytes);
  const page = file.page(index);
  const { width, height, sampleType, samplesPerPixel } = page.layout;
  const targets = Array.from({ length: samplesPerPixel }, () => new NativeTarget(sampleType, height, width));
  const samples = targets.map((_, sample) => sample);
  await readPageSamples(file, page, samples, targets);
  for (const sample of samples) {
    const again = new NativeTarget(sampleType, height, width);
    await readPageSample(file, page, sample, again);
    expectSame(again.data, targets[sample]?.data as SampleArray);
  }
  return targets.map((target) => target.data);
}

/** Values that reach the ends of the type. Floats are exact in the narrowest form. */
export function pattern(type: SampleType, length: number, bits = 64, seed = 1): SampleArray {
  const out = allocateSamples(type, length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const value = state >>> 3;
    if (out instanceof BigUint64Array) out[i] = BigInt.asUintN(bits, (BigInt(value) << 35n) | BigInt(i));
    else if (out instanceof BigInt64Array) out[i] = BigInt.asIntN(bits, (BigInt(value) << 35n) | BigInt(i));
    else if (type.startsWith('float')) out[i] = ((value % 2048) - 1024) / 8;
    else if (type.startsWith('uint') && bits < 32) out[i] = value & (2 ** bits - 1);
    else out[i] = bits < 32 ? (value << (32 - bits)) >> (32 - bits) : state;
  }
  return out;
}
