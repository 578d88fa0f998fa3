/** Projections: many planes of one shape become one. */

export type ProjectionMethod = 'max' | 'mean';

/**
 * The largest or the mean sample at each place, over planes that are added one after the other. Samples that are not finite
 * take part in nothing; without a finite one the result is NaN. Means are computed in float64.
 */
export class PlaneProjection {
  private readonly method: ProjectionMethod;
  private readonly largest: Float32Array;
  private readonly sums: Float64Array;
  /** Finite samples at each place. */
  private readonly counts: Uint32Array;

  constructor(method: ProjectionMethod, length: number) {
    this.method = method;
    const isMean = method === 'mean';
    this.largest = new Float32Array(isMean ? 0 : length).fill(Number.NaN);
    this.sums = new Float64Array(isMean ? length : 0);
    this.counts = new Uint32Array(isMean ? length : 0);
  }

  add(samples: Float32Array): void {
    if (this.method === 'max') addLargest(this.largest, samples);
    else addSums(this.sums, this.counts, samples);
  }

  /** Returns the plane. Nothing can be added afterwards. */
  result(): Float32Array {
    if (this.method === 'max') return this.largest;
    const { sums, counts } = this;
    const out = new Float32Array(sums.length);
    // 0 / 0 is NaN.
    for (let i = 0; i < out.length; i++) out[i] = sums[i]! / counts[i]!;
    return out;
  }
}

/** Returns the bytes that a projection takes beside its result, for each sample: one plane, and what is kept of all. */
export function projectionBytes(method: ProjectionMethod): number {
  return method === 'max' ? 4 + 4 : 4 + 8 + 4 + 4;
}

function addLargest(largest: Float32Array, samples: Float32Array): void {
  for (let i = 0; i < largest.length; i++) {
    const sample = samples[i]!;
    if (sample - sample !== 0) continue;
    // Not smaller than NaN either.
    if (!(sample <= largest[i]!)) largest[i] = sample;
  }
}

function addSums(sums: Float64Array, counts: Uint32Array, samples: Float32Array): void {
  for (let i = 0; i < sums.length; i++) {
    const sample = samples[i]!;
    if (sample - sample !== 0) continue;
    sums[i]! += sample;
    counts[i]!++;
  }
}
