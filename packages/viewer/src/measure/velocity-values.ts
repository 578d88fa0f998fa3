/** Velocities of windows in the units of the axes, for the chart and for files. */
import { percentile } from '../analysis/baseline.ts';
import { endValue, placeValue, planeAxes } from '../image/plane-axes.ts';
import type { Pane } from '../model/document.ts';
import type { VelocityResult } from './follow-velocity.ts';
import { velocityUnit } from './mark-records.ts';

/** Name of the method, for headings and files. */
export const METHOD = 'Radon transform';

/** Returns µm/s per column and line in each window; 1 without calibration, when the unit is pixels per line. */
function velocityFactors({ starts, lines }: VelocityResult, pane: Pane): number[] {
  const { row, column } = planeAxes(pane);
  const period = (start: number) =>
    row.measured === null ? row.step : (endValue(row, start + lines) - placeValue(row, start)) / lines;
  return starts.map((start) => (velocityUnit(pane) === 'µm/s' ? column.step / period(start) : 1));
}

/** Returns the velocities of windows; NaN below the min quality. */
export function goodVelocities(result: VelocityResult, pane: Pane, minQuality: number): Float64Array {
  const { slopes, qualities } = result;
  const factors = velocityFactors(result, pane);
  return slopes.map((slope, i) =>
    qualities[i]! >= minQuality && Number.isFinite(slope) ? slope * factors[i]! : Number.NaN,
  );
}

/** Returns the velocities of the windows that are not accepted, at their middle lines. */
export function rejectedVelocities(result: VelocityResult, pane: Pane, minQuality: number) {
  const { starts, lines, slopes, qualities } = result;
  const factors = velocityFactors(result, pane);
  return starts.flatMap((start, i) =>
    qualities[i]! < minQuality ? [{ at: start + lines / 2, value: slopes[i]! * factors[i]! }] : [],
  );
}

export function medianVelocity(velocities: Float64Array): number {
  return percentile(velocities, 0.5);
}

/**
 * Returns one value per line: that of the window whose middle is nearest; NaN where no window is, beside a pause. `first` is
 * the line of the first value.
 */
export function perLine(
  { starts, lines }: VelocityResult,
  values: ArrayLike<number>,
): { first: number; values: Float32Array } {
  const stride = starts.length === 1 ? lines : Math.max(1, Math.floor(lines / 2));
  const lineOf = (start: number) => Math.round(start + (lines - stride) / 2);
  const first = lineOf(starts[0] ?? 0);
  const spread = new Float32Array(starts.length === 0 ? 0 : lineOf(starts.at(-1)!) + stride - first).fill(Number.NaN);
  starts.forEach((start, i) => {
    spread.fill(values[i]!, lineOf(start) - first, lineOf(start) - first + stride);
  });
  return { first, values: spread };
}

/** Returns the trace as columns of a table; velocities below the min quality are marked as not used. */
export function velocityColumns(result: VelocityResult, pane: Pane, minQuality: number) {
  const { row } = planeAxes(pane);
  const { starts, lines, slopes, qualities } = result;
  const middles = starts.map((start) => start + lines / 2);
  const time = row.calibrated
    ? { title: 'time (s)', values: middles.map((middle) => placeValue(row, middle)) }
    : { title: 'line', values: middles };
  const factors = velocityFactors(result, pane);
  return [
    time,
    { title: `velocity (${velocityUnit(pane)})`, values: slopes.map((slope, i) => slope * factors[i]!) },
    { title: 'quality', values: qualities },
    { title: `quality >= ${minQuality}`, values: Array.from(qualities, (quality) => Number(quality >= minQuality)) },
    { title: 'first line', values: starts },
    { title: `lines of the window (${METHOD})`, values: starts.map(() => lines) },
  ];
}
