import type { PlaneData } from '../planes/plane-data.js';
import { WindowReader, wholePlane } from './window.js';

export type TraceStatistic = 'mean' | 'min' | 'max';

/** Columns `first` … `end` − 1. */
export interface ColumnRange {
  first: number;
  end: number;
}

/**
 * Follows regions along the rows of a plane.
 * @param every lines that become one value
 * @returns regions × ⌈rows / `every`⌉: the statistic of the finite samples of each, `NaN` where nothing is finite. Means are
 * computed in float64
 */
export function* traces(
  data: PlaneData,
  regions: readonly ColumnRange[],
  { every, statistic }: { every: number; statistic: TraceStatistic },
): Generator<void, Float32Array<ArrayBuffer>> {
  const length = Math.ceil(data.rows / every);
  const out = new Float32Array(regions.length * length);
  const pools = regions.map(() => new Pool());
  const reader = new WindowReader(data, wholePlane(data));
  yield* reader.pieces((row, count) => {
    for (let i = 0; i < count; i++) {
      for (const [k, { first, end }] of regions.entries()) {
        pools[k]!.add(reader.samples, i * reader.width + first, i * reader.width + end);
      }
      const line = row + i;
      if ((line + 1) % every !== 0 && line + 1 < data.rows) continue;
      for (const [k, pool] of pools.entries()) out[k * length + Math.floor(line / every)] = pool.take(statistic);
    }
  });
  return out;
}

/** The samples that become one value. */
class Pool {
  private min = Number.POSITIVE_INFINITY;
  private max = Number.NEGATIVE_INFINITY;
  private sum = 0;
  private count = 0;

  add(samples: Float32Array, from: number, to: number): void {
    let { min, max } = this;
    let sum = 0;
    let count = 0;
    for (let i = from; i < to; i++) {
      const sample = samples[i]!;
      if (sample - sample !== 0) continue;
      if (sample < min) min = sample;
      if (sample > max) max = sample;
      sum += sample;
      count++;
    }
    this.min = min;
    this.max = max;
    this.sum += sum;
    this.count += count;
  }

  /** Returns the statistic and starts anew. */
  take(statistic: TraceStatistic): number {
    const { min, max, sum, count } = this;
    this.min = Number.POSITIVE_INFINITY;
    this.max = Number.NEGATIVE_INFINITY;
    this.sum = 0;
    this.count = 0;
    if (count === 0) return Number.NaN;
    return { mean: sum / count, min, max }[statistic];
  }
}
