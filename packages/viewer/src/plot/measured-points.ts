/** Points of curves whose samples lie at measured times or depths: gaps stay gaps. */
import { isGapAfter, type MeasuredAxis } from '../model/measured-axis.ts';
import { findRange } from './envelope.ts';

/** Samples, or a break of all curves. */
type Slot = { readonly x: number; readonly samples: readonly number[] };

/**
 * Returns a point for each sample, at `toX` of it. Of three or more samples in one pixel, the lowest and the highest are left. All curves
 * share one scale and begin with sample 0.
 */
export function measuredPoints(
  curves: readonly { readonly values: ArrayLike<number> }[],
  axis: MeasuredAxis,
  [low, high]: readonly [number, number],
  width: number,
  toX: (sample: number) => number,
) {
  const slots = slotsOf(axis, toX, low, (high - low) / width);
  const drawn = curves.map(({ values }) => slots.map(({ samples }) => extremes(values, samples)));
  const range = findRange(
    drawn.map((pairs) => ({
      low: Float64Array.from(pairs, ([a, b]) => Math.min(a, b)),
      high: Float64Array.from(pairs, ([a, b]) => Math.max(a, b)),
    })),
  );
  const point = (value: number) => (Number.isFinite(value) ? value : null);
  return {
    x: slots.flatMap(({ x }) => [x, x]),
    lines: drawn.map((pairs) => pairs.flatMap(([a, b]) => [point(a), point(b)])),
    bands: curves.map(() => null),
    ranges: curves.map(() => range),
  };
}

function slotsOf(axis: MeasuredAxis, toX: (sample: number) => number, low: number, pixel: number): Slot[] {
  const { filled, typical } = axis;
  const slots: Slot[] = [];
  let samples: number[] = [];
  const close = () => {
    if (samples.length === 0) return;
    const single = samples.length <= 2 ? samples.map((sample) => ({ x: toX(sample), samples: [sample] })) : [];
    slots.push(...(single.length > 0 ? single : [{ x: toX(samples[0]!), samples }]));
    samples = [];
  };
  const column = (sample: number) => Math.floor((toX(sample) - low) / pixel);
  // A chart runs from left to right, also along depths that descend.
  const order = typical > 0 ? (i: number) => i : (i: number) => filled.length - 1 - i;
  for (let i = 0; i < filled.length; i++) {
    const sample = order(i);
    if (samples.length > 0 && column(samples[0]!) !== column(sample)) close();
    samples.push(sample);
    if (i + 1 < filled.length && isGapAfter(axis, Math.min(sample, order(i + 1)))) {
      close();
      slots.push({ x: toX(sample), samples: [] });
    }
  }
  close();
  return slots;
}

/** Returns the lowest and the highest finite value of some samples; NaN without any. */
function extremes(values: ArrayLike<number>, samples: readonly number[]): [number, number] {
  let [low, high] = [Number.NaN, Number.NaN];
  for (const sample of samples) {
    const value = values[sample] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    if (!(value >= low)) low = value;
    if (!(value <= high)) high = value;
  }
  return [low, high];
}
