import type { SourceData } from '../../model/samples/plane-data.js';
import { SLICE_SAMPLES } from './slices.js';
import { type Window, WindowReader, wholePlane } from './window.js';

export type TraceStatistic = 'mean' | 'min' | 'max';

export interface TraceOptions {
  /** Rows or planes that become one value. */
  every: number;
  statistic: TraceStatistic;
}

/** A window, or the runs of pixels in it: row, first column and the one after the last, in order. */
export interface PlaneRegion extends Window {
  runs?: readonly (readonly number[])[];
}

/** Columns `first` … `end` − 1. */
export interface ColumnRange {
  first: number;
  end: number;
}

/**
 * Follows regions along the rows of a plane.
 * @returns regions × ⌈rows / `every`⌉: the statistic of the finite samples of each, `NaN` where nothing is finite. Means are
 * computed in float64
 */
export function* lineTraces(
  data: SourceData,
  regions: readonly ColumnRange[],
  options: TraceOptions,
): Generator<void, Float32Array<ArrayBuffer>> {
  const traces = new Traces(regions.length, data.rows, options);
  const samplesPerRow = regions.reduce((sum, { first, end }) => sum + end - first, 0);
  const reader = new WindowReader(data, wholePlane(data), {
    maxRows: Math.max(1, Math.floor(SLICE_SAMPLES / samplesPerRow)),
  });
  const visit = (rows: number, columns: number, firstColumn: number) => {
    for (let i = 0; i < rows; i++) {
      const start = i * columns - firstColumn;
      for (const [k, { first, end }] of regions.entries()) {
        const from = Math.max(first, firstColumn);
        traces.add(k, reader.samples, start + from, start + Math.min(end, firstColumn + columns));
      }
      if (firstColumn + columns === data.columns) traces.advance();
    }
  };
  yield* reader.pieces(visit, Math.max(1, samplesPerRow / data.columns));
  return traces.values;
}

/** Follows regions along planes of one shape, which come one after the other. */
export class PlaneTraces {
  private readonly regions: readonly PlaneRegion[];
  private readonly traces: Traces;
  /** Samples since the last slice. Many small regions and planes are a slice together. */
  private passed = 0;

  constructor(regions: readonly PlaneRegion[], planes: number, options: TraceOptions) {
    this.regions = regions;
    this.traces = new Traces(regions.length, planes, options);
  }

  /** Regions × ⌈planes / `every`⌉, once all planes were added. */
  get values(): Float32Array<ArrayBuffer> {
    return this.traces.values;
  }

  *add(data: SourceData): Generator<void, void> {
    for (const [k, region] of this.regions.entries()) {
      const reader = new WindowReader(data, region);
      const { runs } = region;
      yield* reader.pieces((rows, columns, firstColumn, firstRow) => {
        if (runs === undefined) this.traces.add(k, reader.samples, 0, rows * columns);
        else this.addRuns(k, reader.samples, runs, { rows, columns, firstColumn, firstRow });
      });
      this.passed += (region.endRow - region.firstRow) * (region.endColumn - region.firstColumn);
      if (this.passed < SLICE_SAMPLES) continue;
      this.passed = 0;
      yield;
    }
    this.traces.advance();
  }

  /** Adds the part of runs in a piece of the window. */
  private addRuns(
    k: number,
    samples: Float32Array,
    runs: readonly (readonly number[])[],
    piece: { rows: number; columns: number; firstColumn: number; firstRow: number },
  ): void {
    const { rows, columns, firstColumn, firstRow } = piece;
    for (let at = lowerBound(runs, firstRow); at < runs.length && runs[at]![0]! < firstRow + rows; at++) {
      const [row, first, end] = runs[at] as [number, number, number];
      const start = (row - firstRow) * columns - firstColumn;
      const from = Math.max(first, firstColumn);
      this.traces.add(k, samples, start + from, start + Math.min(end, firstColumn + columns));
    }
  }
}

/** Returns the position of the first run in a row or below it. */
function lowerBound(runs: readonly (readonly number[])[], row: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]![0]! < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The values of regions at successive positions, some of which become one. */
class Traces {
  readonly values: Float32Array<ArrayBuffer>;
  private readonly pools: Pool[];
  private readonly positions: number;
  private readonly length: number;
  private readonly options: TraceOptions;
  private position = 0;

  constructor(regions: number, positions: number, options: TraceOptions) {
    this.positions = positions;
    this.options = options;
    this.length = Math.ceil(positions / options.every);
    this.values = new Float32Array(regions * this.length);
    this.pools = Array.from({ length: regions }, () => new Pool());
  }

  /** Adds the samples `from` … `to` − 1 to a region at the current position. */
  add(region: number, samples: Float32Array, from: number, to: number): void {
    this.pools[region]!.add(samples, from, to);
  }

  /** Goes to the next position. */
  advance(): void {
    const { every, statistic } = this.options;
    this.position++;
    if (this.position % every !== 0 && this.position < this.positions) return;
    const at = Math.ceil(this.position / every) - 1;
    for (const [k, pool] of this.pools.entries()) this.values[k * this.length + at] = pool.take(statistic);
  }
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
