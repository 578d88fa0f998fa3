/**
 * Changes of fluorescence relative to a baseline: ΔF/F₀ = (F − F₀) ÷ F₀. An acquisition has one baseline, which traces and
 * the table of marks share.
 */
import type { Baseline } from '../model/document.ts';

/** Where F₀ comes from, over all lines or time points or a part of them: `to` is not included. */
type BaselineSource =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'percentile'; readonly percent: number }
  | { readonly kind: 'mean' }
  | { readonly kind: 'mark'; readonly id: string };

/** Returns what a baseline stands for; null for text that is not a baseline. */
export function parseBaseline(text: string): BaselineSource | null {
  if (text === 'mean') return { kind: 'mean' };
  const mark = /^mark (.{1,64})$/.exec(text);
  if (mark) return { kind: 'mark', id: mark[1]! };
  const percentile = /^p(\d{1,3}(?:\.\d{1,6})?)$/.exec(text);
  if (percentile && Number(percentile[1]) <= 100) return { kind: 'percentile', percent: Number(percentile[1]) };
  const range = /^range (\d{1,9}) (\d{1,9})$/.exec(text);
  const [from, to] = [Number(range?.[1]), Number(range?.[2])];
  return from < to ? { kind: 'range', from, to } : null;
}

export function isBaseline(value: unknown): value is Baseline {
  return typeof value === 'string' && parseBaseline(value) !== null;
}

/**
 * Returns F₀ of values over time; NaN without a finite value, and for a baseline that is another mark. Percentiles are
 * interpolated as `numpy.percentile` does.
 */
export function baselineOf(values: ArrayLike<number>, baseline: Baseline): number {
  const source = parseBaseline(baseline);
  if (source === null || source.kind === 'mark') return Number.NaN;
  if (source.kind === 'percentile') return percentile(values, source.percent / 100);
  const { from, to } = source.kind === 'range' ? source : { from: 0, to: values.length };
  return average(Array.from(values).slice(from, to));
}

/** Returns the mean of the finite values; NaN without one. */
export function average(values: ArrayLike<number>): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    sum += value;
    count += 1;
  }
  return sum / count;
}

/** Returns a percentile, interpolated between values as NumPy does; NaN without a finite value. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (at - Math.floor(at)) * (high - low);
}

/** Returns ΔF/F₀ of each value; NaN everywhere when F₀ is 0 or unknown. */
export function relativeTo(values: ArrayLike<number>, f0: number): Float64Array {
  const valid = Number.isFinite(f0) && f0 !== 0;
  return Float64Array.from({ length: values.length }, (_, i) => (valid ? (values[i]! - f0) / f0 : Number.NaN));
}

/**
 * Returns a baseline in words for titles and files: `20th percentile over time`, `mean of time point 1 to 5`, `mean of
 * Region 2`. `first` is the number of the first sample, `name` that of the mark.
 */
export function baselineWords(baseline: Baseline, sample: string, first: number, name: (id: string) => string): string {
  const source = parseBaseline(baseline);
  if (source?.kind === 'percentile') return `${ordinal(source.percent)} percentile of all ${sample}s`;
  if (source?.kind === 'range') return `mean of ${sample} ${source.from + first} to ${source.to - 1 + first}`;
  return source?.kind === 'mark' ? `mean of ${name(source.id)}` : `mean of all ${sample}s`;
}

function ordinal(number: number): string {
  const ending = { 1: 'st', 2: 'nd', 3: 'rd' }[number % 10];
  return `${number}${Number.isInteger(number) && (number < 4 || number > 20) ? (ending ?? 'th') : 'th'}`;
}
