/** Times or depths of the indices of an axis as they were measured, instead of a mean step. */
import type { MeasuredValues } from '@acquisition-store/client';
import { formatFixed } from './number-text.ts';
import type { Scale } from './units.ts';

export interface MeasuredAxis {
  /** Seconds or µm of each index; `NaN` where the file has none. */
  readonly values: Float64Array;
  /** The same without gaps: what is missing lies evenly between its neighbors. */
  readonly filled: Float64Array;
  /** Median distance of neighbors, never 0; negative when the values descend. */
  readonly typical: number;
  /** True when an interval differs from the mean by more than a tenth. */
  readonly uneven: boolean;
  /** Decimals that show the values to a thousandth of a typical distance, as far as they have them. */
  readonly decimals: number;
}

export type MeasuredAxes = { readonly [axis in keyof MeasuredValues]?: MeasuredAxis };

export function toMeasuredAxes(values: MeasuredValues): MeasuredAxes {
  const axes = Object.entries(values).flatMap(([name, at]) => {
    const axis = toMeasuredAxis(at);
    return axis === null ? [] : [[name, axis]];
  });
  return Object.fromEntries(axes);
}

/** As in the warnings of the server. */
const UNEVEN = 0.1;

/** Returns null for fewer than two known values, and for values that go back and forth. */
export function toMeasuredAxis(values: Float64Array): MeasuredAxis | null {
  const known = Array.from(values.keys()).filter((i) => Number.isFinite(values[i]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return null;
  const sign = Math.sign(values[last]! - values[first]!);
  if (sign === 0 || known.some((at, i) => i > 0 && sign * (values[at]! - values[known[i - 1]!]!) < 0)) return null;
  const steps = known.slice(1).map((at, i) => (values[at]! - values[known[i]!]!) / (at - known[i]!));
  const sorted = Float64Array.from(steps.filter((step) => step !== 0)).sort();
  const typical = sorted[Math.floor(sorted.length / 2)]!;
  const mean = (values[last]! - values[first]!) / (last - first);
  const uneven = steps.some((step) => Math.abs(step / mean - 1) > UNEVEN);
  const filled = Float64Array.from(values);
  for (let i = first - 1; i >= 0; i--) filled[i] = filled[i + 1]! - typical;
  for (let i = last + 1; i < filled.length; i++) filled[i] = filled[i - 1]! + typical;
  known.slice(1).forEach((at, i) => {
    for (let missing = known[i]! + 1; missing < at; missing++) filled[missing] = filled[missing - 1]! + steps[i]!;
  });
  return { values, filled, typical, uneven, decimals: decimalsOf(filled, typical) };
}

/** Returns the time or depth of an index with a fraction; outside of the axis, neighbors are a typical distance apart. */
export function valueAtIndex({ filled, typical }: MeasuredAxis, index: number): number {
  const last = filled.length - 1;
  if (index <= 0) return filled[0]! + index * typical;
  if (index >= last) return filled[last]! + (index - last) * typical;
  const below = Math.floor(index);
  return filled[below]! + (index - below) * (filled[below + 1]! - filled[below]!);
}

/** The reverse of `valueAtIndex`. */
export function indexAtValue({ filled, typical }: MeasuredAxis, value: number): number {
  const last = filled.length - 1;
  const sign = Math.sign(typical);
  if (sign * (value - filled[0]!) <= 0) return (value - filled[0]!) / typical;
  if (sign * (value - filled[last]!) >= 0) return last + (value - filled[last]!) / typical;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sign * (filled[middle]! - value) <= 0) low = middle;
    else high = middle;
  }
  const length = filled[high]! - filled[low]!;
  return low + (length === 0 ? 0 : (value - filled[low]!) / length);
}

/**
 * True when the wait from an index to the next one is a gap: more than twice as long as those before and after it. Where
 * the interval changes for good, there is no gap.
 */
export function isGapAfter({ filled }: MeasuredAxis, index: number): boolean {
  const wait = (i: number) => (i < 0 || i + 2 > filled.length ? 0 : Math.abs(filled[i + 1]! - filled[i]!));
  const beside = Math.max(wait(index - 1), wait(index + 1));
  return beside > 0 && wait(index) > 2 * beside;
}

function decimalsOf(values: Float64Array, typical: number): number {
  const limit = Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(typical)))));
  const rest = (value: number, decimals: number) =>
    Math.abs(value - Math.round(value * 10 ** decimals) / 10 ** decimals);
  let decimals = 0;
  while (decimals < limit && values.some((value) => rest(value, decimals) > 0.5 / 10 ** limit)) decimals++;
  return decimals;
}

/** Formats a time or depth in a displayed unit, with the decimals that its neighbors have. */
export function measuredText({ decimals }: MeasuredAxis, value: number, { factor, unit }: Scale): string {
  return `${formatFixed(value * factor, Math.max(1, decimals - Math.round(Math.log10(factor))))} ${unit}`;
}
