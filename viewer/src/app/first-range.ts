/** A first contrast, used until all samples have been counted. */

const SAMPLES = 20_000;
/** The golden ratio: multiples of it are spread evenly over lines and columns for any width. */
const GOLDEN = 0.618_033_988_749_894_9;

/** Estimates the 1st and the 99.5th percentile from samples all over the plane; `min < max`. */
export function firstRange(data: Float32Array): { min: number; max: number } {
  const picked = new Float32Array(Math.min(SAMPLES, data.length));
  let taken = 0;
  for (let i = 0; i < picked.length; i++) {
    const at = picked.length === data.length ? i : Math.floor(((i * GOLDEN) % 1) * data.length);
    const value = data[at]!;
    if (Number.isFinite(value)) picked[taken++] = value;
  }
  if (taken === 0) return { min: 0, max: 1 };
  const sorted = picked.subarray(0, taken).sort();
  const min = sorted[Math.floor(0.01 * (taken - 1))]!;
  const max = sorted[Math.ceil(0.995 * (taken - 1))]!;
  return max > min ? { min, max } : { min, max: min + 1 };
}
