/** A first contrast, used until all samples have been counted. */
import { colorRange } from '../model/color-image.ts';
import type { Samples } from '../model/samples.ts';

const SAMPLES = 20_000;
/** The golden ratio: multiples of it are spread evenly over lines and columns for any width. */
const GOLDEN = 0.618_033_988_749_894_9;

/**
 * Estimates the range of a channel before all samples have been counted: the common one of a color image, otherwise the
 * 1st and the 99.5th percentile; `min < max`.
 */
export function firstRange(data: Samples, colorImage = false): { min: number; max: number } {
  const sorted = pickSorted(data);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined) return { min: 0, max: 1 };
  if (colorImage) return colorRange([{ min: lowest, max: highest, integer: sorted.every(Number.isInteger) }]);
  const min = sorted[Math.floor(0.01 * (sorted.length - 1))]!;
  const max = sorted[Math.ceil(0.995 * (sorted.length - 1))]!;
  return max > min ? { min, max } : { min, max: min + 1 };
}

/** Returns finite samples from all over the plane, sorted. */
function pickSorted(data: Samples): Float32Array {
  const picked = new Float32Array(Math.min(SAMPLES, data.length));
  let taken = 0;
  for (let i = 0; i < picked.length; i++) {
    const at = picked.length === data.length ? i : Math.floor(((i * GOLDEN) % 1) * data.length);
    const value = data[at]!;
    if (Number.isFinite(value)) picked[taken++] = value;
  }
  return picked.subarray(0, taken).sort();
}
