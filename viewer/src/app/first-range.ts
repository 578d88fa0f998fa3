/** Contrast for the moments until all samples are counted. */

const SAMPLES = 20_000;
/** Of the golden ratio: steps of it fall on every line and column alike, whatever the width. */
const GOLDEN = 0.618_033_988_749_894_9;

/** About the 1st and the 99.5th percentile, of some samples all over the plane; `min < max`. */
export function firstRange(data: Float32Array): { min: number; max: number } {
  const some = new Float32Array(Math.min(SAMPLES, data.length));
  let taken = 0;
  for (let i = 0; i < some.length; i++) {
    const at = some.length === data.length ? i : Math.floor(((i * GOLDEN) % 1) * data.length);
    const value = data[at]!;
    if (Number.isFinite(value)) some[taken++] = value;
  }
  if (taken === 0) return { min: 0, max: 1 };
  const sorted = some.subarray(0, taken).sort();
  const min = sorted[Math.floor(0.01 * (taken - 1))]!;
  const max = sorted[Math.ceil(0.995 * (taken - 1))]!;
  return max > min ? { min, max } : { min, max: min + 1 };
}
