/**
 * Line phase of bidirectional scans: the scanner records every second line on its way back, and where its delay is not set
 * right, these lines are shifted against their neighbors. Samples stay as they are; what is moved is for display.
 */
import type { Shape } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';

/** Max distance that lines are moved, in samples. */
export const MAX_PHASE = 32;
/** Odd lines that are compared, spread over the plane, and samples of each. */
const MAX_LINES = 256;
const MAX_COLUMNS = 2048;
/** Correlation with the neighbors from which a distance is told; noise stays below. */
const MIN_CORRELATION = 0.3;

/** Returns a copy of the samples for `moveOddRows`; only a whole phase keeps their type. */
export function copyForPhase(data: Samples, phase: number): Samples {
  return Number.isInteger(phase) ? data.slice() : Float32Array.from(data);
}

/**
 * Moves the odd ones of the rows `from` to `end` of a copy to the left by `phase` samples: between two samples by linear
 * interpolation, beyond the border as the last one.
 */
export function moveOddRows(
  result: Samples,
  data: Samples,
  columns: number,
  phase: number,
  [from, end]: readonly [number, number],
): void {
  const whole = Math.floor(phase);
  const part = phase - whole;
  const inside = (column: number) => Math.min(columns - 1, Math.max(0, column));
  for (let row = from + (from % 2 === 0 ? 1 : 0); row < end; row += 2) {
    const at = row * columns;
    for (let column = 0; column < columns; column++) {
      const left = data[at + inside(column + whole)]!;
      result[at + column] = part === 0 ? left : left + part * (data[at + inside(column + whole + 1)]! - left);
    }
  }
}

/**
 * Returns by how many samples the odd rows lie to the right of the mean of their neighbors, to a tenth; null where nothing
 * tells it, as in noise, along even rows, and in a plane that is too small.
 */
export function estimateLinePhase(data: Samples, [rows, columns]: Shape): number | null {
  const reach = Math.min(MAX_PHASE / 2, Math.floor(columns / 4));
  const pairs = Math.floor((rows - 1) / 2);
  if (reach < 2 || pairs < 4) return null;
  const step = Math.max(1, Math.ceil(pairs / MAX_LINES));
  const middle = Math.max(0, Math.floor((columns - MAX_COLUMNS) / 2));
  const correlations: number[] = [];
  for (let shift = -reach; shift <= reach; shift++) {
    // All columns that both have: a spot at the border would pull the result to one side.
    const first = Math.max(middle, -shift);
    const last = Math.min(columns - Math.max(0, shift), middle + MAX_COLUMNS);
    correlations.push(correlate(data, columns, { pairs, step, first, last, shift }));
  }
  const best = correlations.reduce((top, value, i) => (value > correlations[top]! ? i : top), 0);
  const peak = correlations[best]!;
  if (!(peak >= MIN_CORRELATION) || best === 0 || best === correlations.length - 1) return null;
  const top = Math.round(10 * (best - reach + topOf(correlations, best))) / 10;
  return top === 0 ? 0 : top;
}

/** Most points on each side of the highest one, which a parabola is fitted to. */
const MAX_FIT = 4;

/** Returns where the top of the peak lies beside its highest point: that of a parabola through the upper half of it. */
function topOf(correlations: readonly number[], best: number): number {
  const half = correlations[best]! / 2;
  let side = 1;
  const isUpper = (at: number) => (correlations[at] ?? 0) >= half;
  while (side < MAX_FIT && isUpper(best - side - 1) && isUpper(best + side + 1)) side++;
  let [slope, curve, spread, quartic, mean] = [0, 0, 0, 0, 0];
  const count = 2 * side + 1;
  for (let k = -side; k <= side; k++) {
    const value = correlations[best + k]!;
    slope += k * value;
    curve += k * k * value;
    mean += value / count;
    spread += k * k;
    quartic += k ** 4;
  }
  // Least squares of a + b k + c k² over symmetric k; the top is at −b / 2c.
  const b = slope / spread;
  const c = (curve - spread * mean) / (quartic - (spread * spread) / count);
  return c < 0 ? Math.max(-1, Math.min(1, -b / (2 * c))) : 0;
}

interface Comparison {
  readonly pairs: number;
  readonly step: number;
  readonly first: number;
  readonly last: number;
  readonly shift: number;
}

/** Correlation of odd rows, read `shift` samples to the right, with the mean of the rows above and below. */
function correlate(data: Samples, columns: number, { pairs, step, first, last, shift }: Comparison): number {
  let [n, a, b, aa, bb, ab] = [0, 0, 0, 0, 0, 0];
  for (let pair = 0; pair < pairs; pair += step) {
    const at = (2 * pair + 1) * columns;
    for (let column = first; column < last; column++) {
      const odd = data[at + column + shift]!;
      const even = (data[at - columns + column]! + data[at + columns + column]!) / 2;
      const product = odd * even;
      if (!Number.isFinite(product)) continue;
      n++;
      a += odd;
      b += even;
      aa += odd * odd;
      bb += even * even;
      ab += product;
    }
  }
  const spread = Math.sqrt((aa - (a * a) / n) * (bb - (b * b) / n));
  return spread > 0 ? (ab - (a * b) / n) / spread : 0;
}
