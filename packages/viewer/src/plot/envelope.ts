/** Reduces a long profile to the lowest and highest value per pixel, so that a plot shows every spike. */

interface Envelope {
  /** One entry per pixel; NaN where the profile has no finite value. */
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** Samples that are not evenly spaced along an axis. */
export interface UnevenPlaces {
  /** Returns the sample at a place, with a fraction. */
  toSample(place: number): number;
  /** True where there is no sample. */
  isGap(place: number): boolean;
}

interface EnvelopeWindow {
  readonly from: number;
  readonly to: number;
  readonly pixels: number;
  /** Where the samples lie; absent when a sample is 1 long. */
  readonly places?: UnevenPlaces | undefined;
}

/**
 * `values[i]` covers the samples [first + i, first + i + 1), and the range `from`–`to` of the axis fills `pixels`. A pixel
 * shows all values inside it, or the value that it is inside of.
 */
export function computeEnvelope(
  values: ArrayLike<number>,
  first: number,
  { from, to, pixels, places }: EnvelopeWindow,
): Envelope {
  const low = new Float64Array(pixels).fill(Number.NaN);
  const high = new Float64Array(pixels).fill(Number.NaN);
  const step = (to - from) / pixels;
  const sampleAt = (pixel: number) => {
    const place = from + pixel * step;
    return Math.floor(places ? places.toSample(place) : place) - first;
  };
  for (let pixel = 0; pixel < pixels; pixel++) {
    if (places?.isGap(from + (pixel + 0.5) * step)) continue;
    const start = sampleAt(pixel);
    const end = Math.max(start + 1, sampleAt(pixel + 1));
    let lowest = Number.POSITIVE_INFINITY;
    let highest = Number.NEGATIVE_INFINITY;
    for (let i = Math.max(0, start); i < Math.min(values.length, end); i++) {
      const value = values[i]!;
      if (value < lowest && value > Number.NEGATIVE_INFINITY) lowest = value;
      if (value > highest && value < Number.POSITIVE_INFINITY) highest = value;
    }
    if (lowest > highest) continue;
    low[pixel] = lowest;
    high[pixel] = highest;
  }
  return { low, high };
}

/** Returns the range of some envelopes with a small margin; [0, 1] without any value. */
export function findRange(envelopes: readonly Envelope[]): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const envelope of envelopes) {
    for (const value of envelope.low) if (value < low) low = value;
    for (const value of envelope.high) if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  const margin = high > low ? (high - low) * 0.05 : Math.max(Math.abs(high) * 0.05, 0.5);
  return [low - margin, high + margin];
}
