/**
 * Velocity of moving cells in windows of a line scan, by the Radon transform: a window is projected along stripes of many
 * slopes, and the slope whose projection explains most of its variance is the velocity (Drew et al., J Comput Neurosci
 * 29:5–11, 2010, maximize the variance of the projection).
 */
import type { Shape } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { profileOver } from './profile.ts';
import type { PlaneRegion } from './region.ts';
import { createSlices, type SliceOptions } from './slices.ts';
import { findStripes, type Window, withSquares } from './stripes.ts';

export interface VelocityOptions extends SliceOptions {
  /** Lines of a window; consecutive windows overlap by half. */
  readonly lines: number;
  /** Computes only so many windows, spread over the region. */
  readonly maxWindows?: number;
  /** Lines that follow a pause. A window does not reach over one. */
  readonly breaks?: readonly number[];
}

export interface VelocityTrace {
  /** First line of each window. */
  readonly starts: readonly number[];
  /** Lines of a window, at most those of the region. */
  readonly lines: number;
  /** In columns per line, positive towards higher columns; NaN without contrast. */
  readonly slopes: Float64Array;
  /** How far the slope can be trusted, from 0 to 1; see `findStripes`. */
  readonly qualities: Float64Array;
}

/** Windows of lower quality are not accepted: 1 in 100 of noise reaches it, and 95 in 100 of moving cells do. */
export const QUALITY_LIMIT = 0.5;

/** Standard deviations that a sample counts at most, so that a few bright ones are not taken as a stripe. */
const SPIKE = 3;

/** Computes the trace of a region, window by window. Works in slices; rejects with the reason of an aborted signal. */
export async function velocityTrace(
  data: Samples,
  shape: Shape,
  { rows, columns }: PlaneRegion,
  { lines, maxWindows = Number.POSITIVE_INFINITY, breaks = [], ...options }: VelocityOptions,
): Promise<VelocityTrace> {
  const height = Math.min(lines, rows[1] - rows[0]);
  const stride = Math.max(1, Math.floor(height / 2));
  const all: number[] = [];
  const edges = [rows[0], ...breaks.filter((line) => line > rows[0] && line < rows[1]), rows[1]];
  edges.slice(1).forEach((end, i) => {
    for (let start = edges[i]!; start + height <= end; start += stride) all.push(start);
  });
  const starts = spread(all, maxWindows);
  const slopes = new Float64Array(starts.length).fill(Number.NaN);
  const qualities = new Float64Array(starts.length);
  const still = await columnMeans(data, shape, { rows, columns }, options);
  // One window is one unit of work, so that the page responds between two.
  const pacer = createSlices({ ...options, blockLength: 1 });
  await pacer.each(starts.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const window = cutWindow(data, shape, { row: starts[i]!, column: columns[0], height }, still);
      const { slope, quality } = findStripes(window);
      slopes[i] = slope;
      qualities[i] = quality;
    }
  });
  return { starts, lines: height, slopes, qualities };
}

/** Returns at most `count` of the values, at equal distances. */
function spread(values: readonly number[], count: number): readonly number[] {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, i) => values[Math.floor(((i + 0.5) * values.length) / count)]!);
}

/**
 * Returns what stays in place: the mean of each column over all lines. Over a single window, the means of slow cells would
 * look as if they stayed in place.
 */
async function columnMeans(
  data: Samples,
  shape: Shape,
  region: PlaneRegion,
  { signal, clock, budgetMs }: SliceOptions,
): Promise<Float64Array> {
  const { mean } = await profileOver(data, shape, region, 'row', { signal, clock, budgetMs });
  return mean;
}

/** Returns a window without what stays in place, with a mean of 0. Samples that are not finite become 0. */
function cutWindow(
  data: Samples,
  [, columns]: Shape,
  { row, column, height }: { row: number; column: number; height: number },
  still: Float64Array,
): Window {
  const width = still.length;
  const values = new Float64Array(height * width);
  let sum = 0;
  for (let t = 0; t < height; t++) {
    for (let x = 0; x < width; x++) {
      const value = data[(row + t) * columns + column + x]! - still[x]!;
      if (!Number.isFinite(value)) continue;
      values[t * width + x] = value;
      sum += value;
    }
  }
  const mean = sum / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    values[i] = values[i]! - mean;
    squares += values[i]! ** 2;
  }
  const most = SPIKE * Math.sqrt(squares / values.length);
  for (let i = 0; i < values.length; i++) values[i] = Math.min(most, Math.max(-most, values[i]!));
  return withSquares(values, height, width);
}
