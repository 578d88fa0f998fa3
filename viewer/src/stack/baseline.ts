/** Changes of fluorescence relative to a baseline: ΔF/F₀ = (F − F₀) ÷ F₀. */

/** Where F₀ comes from: the mean of some values, or a percentile of all of them. */
export type Baseline =
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'percentile'; readonly percent: number };

/**
 * Returns F₀ of a trace; NaN without a finite value. `to` is not included. Percentiles are interpolated as
 * `numpy.percentile` does.
 */
export function baselineOf(values: ArrayLike<number>, baseline: Baseline): number {
  if (baseline.kind === 'range') {
    const part = Array.from(values).slice(baseline.from, baseline.to).filter(Number.isFinite);
    return part.length === 0 ? Number.NaN : part.reduce((sum, value) => sum + value, 0) / part.length;
  }
  const sorted = Float64Array.from(Array.from(values).filter(Number.isFinite)).sort();
  if (sorted.length === 0) return Number.NaN;
  const at = (Math.min(100, Math.max(0, baseline.percent)) / 100) * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}

/** Returns ΔF/F₀ of each value; NaN everywhere when F₀ is 0 or unknown. */
export function relativeTo(values: ArrayLike<number>, f0: number): Float64Array {
  const valid = Number.isFinite(f0) && f0 !== 0;
  return Float64Array.from({ length: values.length }, (_, i) => (valid ? (values[i]! - f0) / f0 : Number.NaN));
}
