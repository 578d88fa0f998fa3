import { createHash } from 'node:crypto';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import type { SampleArray, SampleType } from '../../packages/readers/src/model/samples/types.js';
import type { OpenedAcquisition } from '../../packages/server/src/open.js';

/** One plane of a scene in the file's own sample type. */
export async function readNative(
  opened: OpenedAcquisition,
  scene: number,
  address: { channel: number; t?: number; z?: number },
): Promise<SampleArray> {
  const info = sceneOf(opened, scene);
  const target = new NativeTarget(info.sampleType, info.sizes.Y, info.sizes.X);
  await opened.acquisition.readPlane({ scene, channel: address.channel, t: address.t ?? 0, z: address.z ?? 0 }, target);
  return target.data;
}

export function sceneOf(opened: OpenedAcquisition, scene: number): SceneInfo {
  const info = opened.acquisition.info.scenes[scene];
  if (!info) throw new Error(`no scene ${scene}`);
  return info;
}

/** Little-endian bytes of samples as numpy would store them; `float16` values are narrowed back to two bytes. */
export function toBytes(samples: SampleArray, type: SampleType): Uint8Array {
  if (type === 'float16') return new Uint8Array(Uint16Array.from(samples as Float32Array, toFloat16Bits).buffer);
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** Bits of a value that is exactly representable in half precision. */
function toFloat16Bits(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0] as number;
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 255) return sign | 0x7c00 | (fraction ? 0x200 | (fraction >>> 13) : 0);
  const half = exponent - 112;
  if (half >= 31) return sign | 0x7c00;
  if (half > 0) return sign | (half << 10) | (fraction >>> 13);
  if (half < -10) return sign;
  return sign | ((fraction | 0x800000) >>> (14 - half));
}

/** Interleaves `arrays` sample by sample (numpy axis order Y, X, S). */
export function interleave(arrays: SampleArray[]): SampleArray {
  const [first] = arrays;
  if (!first || arrays.length === 1) return first as SampleArray;
  const out = new (first.constructor as new (n: number) => SampleArray)(first.length * arrays.length);
  arrays.forEach((array, s) => {
    for (let i = 0, p = s; i < array.length; i++, p += arrays.length) out[p] = array[i] as never;
  });
  return out;
}

/** Streaming facts of an array: compared with those of independent readers. */
export class ArrayFacts {
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  sum = 0;
  private readonly hash = createHash('sha256');

  add(samples: SampleArray, type: SampleType): void {
    this.hash.update(toBytes(samples, type));
    for (let i = 0; i < samples.length; i++) {
      const value = Number(samples[i]);
      if (value < this.min) this.min = value;
      if (value > this.max) this.max = value;
      this.sum += value;
    }
  }

  digest(): string {
    return this.hash.digest('hex');
  }
}
