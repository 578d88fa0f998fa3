/** Curves of a chart, reduced to what its pixels can show. */
import type { GapColors } from '../image/paint-gaps.ts';
import { indexAtValue, type MeasuredAxis, valueAtIndex } from '../model/measured-axis.ts';
import { gapsBetween, placeAtRow, type RowLayout, recordedAt, rowAtPlace } from '../model/row-layout.ts';
import { computeEnvelope, findRange, type UnevenPlaces } from './envelope.ts';
import { measuredPoints } from './measured-points.ts';

export interface ChartCurve {
  /** Names a curve that can be hidden. */
  readonly id?: string;
  readonly label: string;
  /** What the curve is of, when curves of different things can be drawn in lanes of their own, and its name in the lane. */
  readonly lane?: { readonly id: string; readonly name: string; readonly curve: string };
  /** CSS color. */
  readonly color: string;
  /** Lengths of dashes and gaps, CSS pixels; empty or missing for a line without gaps. */
  readonly dash?: readonly number[];
  /** Sample of the first value. */
  readonly first: number;
  readonly values: ArrayLike<number>;
  /** Lowest and highest value at each sample, shown behind the curve. */
  readonly band: { readonly min: ArrayLike<number>; readonly max: ArrayLike<number> } | null;
}

/** The horizontal axis. Sample i covers the values (i − origin) · step to (i + 1 − origin) · step. */
export interface ChartAxis {
  /** Unit of `step`: `seconds`, `micrometer`, or another for an axis that is not calibrated. */
  readonly unit: string;
  readonly step: number;
  /** 0 when the axis starts at the edge of sample 0; 0.5 when it starts in its middle. */
  readonly origin: number;
  /** Where samples lie that are not `step` apart. Their distances on screen are those of their values. */
  readonly measured?: MeasuredAxis | null;
  /** What the ticks of evenly spaced samples say; their step is 1 then. */
  readonly labels?: MeasuredAxis | null;
  /** How samples lie that have pauses between them: the values of the axis are places there. */
  readonly rows?: RowLayout | null;
  /** Title of the axis, given the largest visible value. */
  title(largest: number): string;
}

/** Visible samples, with fractions; places on an axis with rows. */
export interface ChartWindow {
  readonly from: number;
  readonly to: number;
}

/**
 * `shared`: all curves have one scale. `own`: the first has the left scale and the second the right one. `relative`:
 * each curve fills the chart, from 0 to 100 % of its visible range.
 */
export type ScaleMode = 'shared' | 'own' | 'relative';

/** What a chart of windows has beside its curve. */
export interface ChartWindows {
  /** Values that are not accepted, by their samples. No line connects them. */
  readonly rings: readonly { readonly at: number; readonly value: number }[];
  /** One value per sample from 0 to 1, drawn as a gray along the bottom. */
  readonly ribbon: { readonly label: string; readonly first: number; readonly values: ArrayLike<number> };
}

export interface ChartState {
  readonly curves: readonly ChartCurve[];
  readonly axis: ChartAxis;
  readonly window: ChartWindow;
  readonly mode: ScaleMode;
  readonly windows?: ChartWindows;
  /** Values at the bottom and at the top of the shared scale; those of the curves when omitted. */
  readonly range?: readonly [low: number, high: number];
  /** Space for the vertical axis and right of the plot, in CSS pixels. */
  readonly left: number;
  readonly right: number;
}

/** CSS colors and font of the element. */
export interface ChartStyle {
  readonly text: string;
  readonly line: string;
  readonly font: string;
  /** Color behind the chart. */
  readonly ground: string;
  readonly gaps: GapColors;
}

type Points = (number | null)[];

export interface ChartData {
  readonly x: number[];
  /** By curve: two points per pixel, down and up again, so that no spike is lost. Null in a gap. */
  readonly lines: readonly Points[];
  /** By curve: edges of the band; null without one. */
  readonly bands: readonly ({ readonly low: Points; readonly high: Points } | null)[];
  /** By curve: values at the bottom and at the top of its scale. */
  readonly ranges: readonly (readonly [low: number, high: number])[];
}

export function chooseMode(curves: number, own: boolean): ScaleMode {
  if (!own || curves < 2) return 'shared';
  return curves === 2 ? 'own' : 'relative';
}

export function toValue({ step, origin, measured, rows }: ChartAxis, sample: number): number {
  if (rows) return placeAtRow(rows, sample - origin);
  return measured ? valueAtIndex(measured, sample - origin) : (sample - origin) * step;
}

/** Returns the sample at a value of the axis; NaN in a gap between rows. */
export function toSample({ step, origin, measured, rows }: ChartAxis, value: number): number {
  if (rows) return recordedAt(rows, value) + origin;
  return (measured ? indexAtValue(measured, value) : value / step) + origin;
}

/** Returns the ends of a window in the unit of the axis, the lower one first. */
export function visibleValues(axis: ChartAxis, { from, to }: ChartWindow): [low: number, high: number] {
  if (axis.rows) return [from, to];
  const ends = [toValue(axis, from), toValue(axis, to)];
  return [Math.min(...ends), Math.max(...ends)];
}

/** Returns the sample at a place of a window; NaN in a gap. */
export function sampleIn(axis: ChartAxis, place: number): number {
  return axis.rows ? toSample(axis, place) : place;
}

function placesOf(rows: RowLayout): UnevenPlaces {
  return { toSample: (place) => rowAtPlace(rows, place), isGap: (place) => Number.isNaN(recordedAt(rows, place)) };
}

/** Returns the pixels after which a curve breaks for a gap that is narrower than a pixel. */
function narrowGaps(rows: RowLayout, { from, to }: ChartWindow, width: number): ReadonlySet<number> {
  const pixelOf = (place: number) => ((place - from) / (to - from)) * width - 0.5;
  const breaks = new Set<number>();
  for (const { start, end } of gapsBetween(rows, from, to)) {
    const last = Math.floor(pixelOf(start));
    if (Math.ceil(pixelOf(end)) === last + 1) breaks.add(last);
  }
  return breaks;
}

/** Returns the points of the curves in a window that is `pixels` wide. */
export function chartData(
  curves: readonly ChartCurve[],
  axis: ChartAxis,
  { from, to }: ChartWindow,
  pixels: number,
  mode: ScaleMode,
): ChartData {
  const width = Math.max(1, Math.round(pixels));
  const { measured, rows } = axis;
  if (measured) {
    const toX = (sample: number) => (rows ? placeAtRow(rows, sample) : measured.filled[sample]!);
    return measuredPoints(curves, measured, visibleValues(axis, { from, to }), width, toX);
  }
  const window = { from, to, pixels: width, places: rows ? placesOf(rows) : undefined };
  const drawn = curves.map(({ first, values, band }) => ({
    line: computeEnvelope(values, first, window),
    low: band && computeEnvelope(band.min, first, window),
    high: band && computeEnvelope(band.max, first, window),
  }));
  const envelopes = drawn.map(({ line, low, high }) => [line, ...(low ? [low] : []), ...(high ? [high] : [])]);
  const own = envelopes.map((all) => findRange(all));
  const all = findRange(envelopes.flat());
  const scale = (i: number) => {
    const [low, high] = own[i]!;
    return mode === 'relative' ? (value: number) => (100 * (value - low)) / (high - low) : (value: number) => value;
  };
  const breaks = rows ? narrowGaps(rows, { from, to }, width) : NO_BREAKS;
  const x: number[] = [];
  for (let pixel = 0; pixel < width; pixel++) {
    const place = from + ((pixel + 0.5) / width) * (to - from);
    const value = rows ? place : toValue(axis, place);
    x.push(value, value);
    if (breaks.has(pixel)) x.push(value);
  }
  const line = (first: Float64Array, second: Float64Array, i: number) => points(first, second, scale(i), breaks);
  return {
    x,
    lines: drawn.map(({ line: { low, high } }, i) => line(low, high, i)),
    bands: drawn.map(({ low, high }, i) =>
      low && high ? { low: line(low.low, low.low, i), high: line(high.high, high.high, i) } : null,
    ),
    ranges: own.map((range) => (mode === 'relative' ? [0, 100] : mode === 'own' ? range : all)),
  };
}

const NO_BREAKS: ReadonlySet<number> = new Set();

function points(
  first: Float64Array,
  second: Float64Array,
  scale: (value: number) => number,
  breaks: ReadonlySet<number>,
): Points {
  const result: Points = [];
  for (let i = 0; i < first.length; i++) {
    const gap = Number.isNaN(first[i]!);
    result.push(gap ? null : scale(first[i]!), gap ? null : scale(second[i]!));
    if (breaks.has(i)) result.push(null);
  }
  return result;
}

/** Returns the value of a curve at a sample; NaN outside of it. */
export function valueAt({ first, values }: Pick<ChartCurve, 'first' | 'values'>, sample: number): number {
  return values[Math.floor(sample) - first] ?? Number.NaN;
}
