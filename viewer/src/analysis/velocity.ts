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

export interface VelocityOptions extends SliceOptions {
  /** Lines of a window; consecutive windows overlap by half. */
  readonly lines: number;
}

export interface VelocityTrace {
  /** First line of each window. */
  readonly starts: readonly number[];
  /** Lines of a window, at most those of the region. */
  readonly lines: number;
  /** In columns per line, positive towards higher columns; NaN without contrast. */
  readonly slopes: Float64Array;
  /** Part of the variance of the window that stripes of this slope explain, 0 for noise, 1 for perfect stripes. */
  readonly qualities: Float64Array;
}

/** Lines and columns of the reduced window on which the first search runs. */
const COARSE_LINES = 128;
const COARSE_COLUMNS = 64;
/** Columns or lines between two neighboring slopes of the first search, over the length of the window. */
const COARSE_STEP = 3;
/** The search ends when a step changes the far end of a stripe by less than this, in samples. */
const FINEST = 0.02;

/** Computes the trace of a region, window by window. Works in slices; rejects with the reason of an aborted signal. */
export async function velocityTrace(
  data: Samples,
  shape: Shape,
  { rows, columns }: PlaneRegion,
  { lines, ...options }: VelocityOptions,
): Promise<VelocityTrace> {
  const height = Math.min(lines, rows[1] - rows[0]);
  const stride = Math.max(1, Math.floor(height / 2));
  const starts: number[] = [];
  for (let start = rows[0]; start + height <= rows[1]; start += stride) starts.push(start);
  const slopes = new Float64Array(starts.length).fill(Number.NaN);
  const qualities = new Float64Array(starts.length);
  const still = await columnMeans(data, shape, { rows, columns }, options);
  // One window is one unit of work, so that the page responds between two.
  const pacer = createSlices({ ...options, blockLength: 1 });
  await pacer.each(starts.length, (from, to) => {
    for (let i = from; i < to; i++) {
      const window = cutWindow(data, shape, { row: starts[i]!, column: columns[0], height }, still);
      const { slope, quality } = findSlope(window);
      slopes[i] = slope;
      qualities[i] = quality;
    }
  });
  return { starts, lines: height, slopes, qualities };
}

interface Window {
  readonly values: Float64Array;
  readonly height: number;
  readonly width: number;
  /** Sum of squares; the mean is 0. */
  readonly squares: number;
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
  for (let i = 0; i < values.length; i++) values[i] = values[i]! - mean;
  return withSquares(values, height, width);
}

function withSquares(values: Float64Array, height: number, width: number): Window {
  let squares = 0;
  for (const value of values) squares += value * value;
  return { values, height, width, squares };
}

/** Averages blocks of samples until the window is small enough for the first search. */
function reduce(window: Window): { readonly window: Window; readonly byLines: number; readonly byColumns: number } {
  const byLines = Math.max(1, Math.floor(window.height / COARSE_LINES));
  const byColumns = Math.max(1, Math.floor(window.width / COARSE_COLUMNS));
  if (byLines === 1 && byColumns === 1) return { window, byLines, byColumns };
  const [height, width] = [Math.floor(window.height / byLines), Math.floor(window.width / byColumns)];
  const values = new Float64Array(height * width);
  for (let t = 0; t < height * byLines; t++) {
    for (let x = 0; x < width * byColumns; x++) {
      const at = Math.floor(t / byLines) * width + Math.floor(x / byColumns);
      values[at] = values[at]! + window.values[t * window.width + x]! / (byLines * byColumns);
    }
  }
  return { window: withSquares(values, height, width), byLines, byColumns };
}

/**
 * A direction of stripes. `shift` is the number of columns that a stripe moves over the height of the window (`flat` is
 * false), or the number of lines that it takes over the width of the window (`flat` is true), so that both stay small.
 */
interface Direction {
  readonly flat: boolean;
  readonly shift: number;
}

function findSlope(window: Window): { slope: number; quality: number } {
  if (!(window.squares > 0)) return { slope: Number.NaN, quality: 0 };
  const small = reduce(window);
  const start = searchAll(small.window);
  const scale = start.flat
    ? (small.byLines * window.width) / (small.window.width * small.byColumns)
    : (small.byColumns * window.height) / (small.window.height * small.byLines);
  const best = refine(window, { flat: start.flat, shift: start.shift * scale }, COARSE_STEP * scale);
  const { flat, shift } = best.direction;
  const slope = flat ? (shift === 0 ? Number.POSITIVE_INFINITY : window.width / shift) : shift / window.height;
  return { slope, quality: Math.max(0, best.quality) };
}

/** Returns the best of all directions, in steps of `COARSE_STEP`. */
function searchAll(window: Window): Direction {
  const { height, width } = window;
  let best: Direction = { flat: false, shift: 0 };
  let highest = Number.NEGATIVE_INFINITY;
  const consider = (direction: Direction) => {
    const quality = explained(window, direction);
    if (quality <= highest) return;
    highest = quality;
    best = direction;
  };
  // Up to one column per line as shift over the height, from there on as shift over the width.
  for (let shift = -height; shift <= height; shift += COARSE_STEP) consider({ flat: false, shift });
  for (let shift = -width; shift <= width; shift += COARSE_STEP) consider({ flat: true, shift });
  return best;
}

/** Climbs to the maximum in ever smaller steps. */
function refine(window: Window, from: Direction, firstStep: number) {
  let direction = from;
  let quality = explained(window, from);
  for (let step = firstStep; step > FINEST; step /= 2) {
    for (const by of [-step, step]) {
      const next = { ...direction, shift: direction.shift + by };
      const better = explained(window, next);
      if (better <= quality) continue;
      direction = next;
      quality = better;
      break;
    }
  }
  return { direction, quality };
}

/**
 * Returns the part of the variance that stripes of a direction explain, corrected for the number of stripes as adjusted
 * R² is, so that noise gives 0 for every direction.
 */
function explained(window: Window, { flat, shift }: Direction): number {
  const { values, height, width, squares } = window;
  // Stripes cross `steps` lines (or columns), each with `across` samples.
  const [steps, across] = flat ? [width, height] : [height, width];
  const [stepStride, acrossStride] = flat ? [1, width] : [width, 1];
  const reach = Math.ceil(Math.abs(shift)) + 1;
  const bins = across + 2 * reach + 1;
  const sums = new Float64Array(bins);
  const weights = new Float64Array(bins);
  for (let step = 0; step < steps; step++) {
    const offset = reach - shift * ((step + 0.5) / steps - 0.5);
    const whole = Math.floor(offset);
    const part = offset - whole;
    const rest = 1 - part;
    let at = step * stepStride;
    for (let bin = whole; bin < whole + across; bin++, at += acrossStride) {
      const value = values[at]!;
      sums[bin] = sums[bin]! + rest * value;
      sums[bin + 1] = sums[bin + 1]! + part * value;
      weights[bin] = weights[bin]! + rest;
      weights[bin + 1] = weights[bin + 1]! + part;
    }
  }
  let between = 0;
  let used = 0;
  for (let bin = 0; bin < bins; bin++) {
    const weight = weights[bin]!;
    // A stripe that only touches a corner of the window says nothing.
    if (weight < 1) continue;
    between += (sums[bin]! * sums[bin]!) / weight;
    used += 1;
  }
  const total = steps * across;
  return 1 - ((1 - between / squares) * (total - 1)) / Math.max(1, total - used);
}
