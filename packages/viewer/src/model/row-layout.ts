/**
 * Where rows with measured times lie on an axis that is true to time. A pause is a gap of its true width, unless pauses
 * would take most of the axis: then the longest of them are shortened to one length.
 */
import { isGapAfter, type MeasuredAxis } from './measured-axis.ts';

/** A stretch of time in which nothing was recorded. */
export interface RecordingPause {
  /** The last row before it. */
  readonly after: number;
  /** Seconds. */
  readonly from: number;
  readonly to: number;
}

/** A pause on the axis. */
export interface Gap extends RecordingPause {
  /** Places on the axis. */
  readonly start: number;
  readonly end: number;
  /** True when it is shorter on the axis than its time. */
  readonly isShortened: boolean;
}

/** Places on the axis count from the start of the first row; a row of typical duration is 1 long. */
export interface RowLayout {
  /** Distinguishes layouts, as a part of keys. */
  readonly id: number;
  readonly axis: MeasuredAxis;
  readonly gaps: readonly Gap[];
  /** Where each row starts and ends. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Where the last row ends. */
  readonly length: number;
}

/** Pauses of true width take at most this share of an axis; with longer ones, half of it is recorded. */
const MAX_SHARE = 0.75;
/** Intervals beside a pause that differ from the typical one by more than this factor count themselves. */
const NEAR = 2;

/** Less than where a row ends: the edge itself is on the other side of a pause. */
export const BEFORE_EDGE = 1e-6;

let layouts = 0;
const known = new WeakMap<MeasuredAxis, RowLayout>();

/** Returns the pauses between the samples of an axis. None of them is known where values descend. */
function pausesOf(axis: MeasuredAxis): RecordingPause[] {
  const { filled, typical, uneven } = axis;
  if (!uneven || typical < 0) return [];
  const pauses: RecordingPause[] = [];
  for (let i = 0; i + 1 < filled.length; i++) {
    if (isGapAfter(axis, i)) pauses.push({ after: i, from: filled[i]! + durationBefore(axis, i), to: filled[i + 1]! });
  }
  return pauses;
}

/** Returns how long a row lasts that is followed by a pause, or by nothing: as the one before it, or else the next one. */
function durationBefore(axis: MeasuredAxis, row: number): number {
  const { filled, typical } = axis;
  const wait = (i: number) =>
    i < 0 || i + 1 >= filled.length || isGapAfter(axis, i) ? 0 : filled[i + 1]! - filled[i]!;
  const beside = wait(row - 1) || wait(row + 1) || typical;
  const duration = beside > NEAR * typical || NEAR * beside < typical ? beside : typical;
  return row + 1 < filled.length ? Math.min(duration, filled[row + 1]! - filled[row]!) : duration;
}

/** Returns the layout of rows; null where they are evenly spaced, so that a row is a step of the axis. */
export function rowLayout(axis: MeasuredAxis): RowLayout | null {
  if (!axis.uneven || axis.typical < 0) return null;
  const before = known.get(axis);
  if (before !== undefined) return before;
  const { filled, typical } = axis;
  const last = filled.length - 1;
  const end = filled[last]! + durationBefore(axis, last);
  const pauses = pausesOf(axis);
  const longest = longestGap(pauses, end - filled[0]!);
  const gaps: Gap[] = [];
  const [starts, ends] = [new Float64Array(filled.length), new Float64Array(filled.length)];
  let cut = filled[0]!;
  for (let row = 0; row <= last; row++) {
    starts[row] = (filled[row]! - cut) / typical;
    ends[row] = ((row === last ? end : filled[row + 1]!) - cut) / typical;
    const pause = pauses[gaps.length];
    if (pause?.after !== row) continue;
    const seconds = pause.to - pause.from;
    const shown = Math.min(seconds, longest);
    const start = (pause.from - cut) / typical;
    ends[row] = start;
    gaps.push({ ...pause, start, end: start + shown / typical, isShortened: shown < seconds });
    cut += seconds - shown;
  }
  const layout = { id: ++layouts, axis, gaps, starts, ends, length: (end - cut) / typical };
  known.set(axis, layout);
  return layout;
}

/** Returns the layout of samples with pauses between them; null without a pause. */
export function pausedLayout(axis: MeasuredAxis | null): RowLayout | null {
  const layout = axis && rowLayout(axis);
  return layout !== null && layout.gaps.length > 0 ? layout : null;
}

/** Returns the seconds to which pauses are shortened so that they take as much of the axis as what was recorded. */
function longestGap(pauses: readonly RecordingPause[], whole: number): number {
  const lengths = pauses.map(({ from, to }) => to - from).sort((a, b) => a - b);
  const all = lengths.reduce((sum, length) => sum + length, 0);
  if (all <= MAX_SHARE * whole) return Number.POSITIVE_INFINITY;
  let left = whole - all;
  for (const [i, length] of lengths.entries()) {
    const each = left / (lengths.length - i);
    if (length > each) return each;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the last of `count` ascending values that is not above `value`; -1 without one. */
function lastUpTo(count: number, valueAt: (index: number) => number, value: number): number {
  let [low, high] = [-1, count];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** Returns the index of the last gap that begins before or at a value of its own; -1 before the first one. */
function lastGap({ gaps }: RowLayout, of: (gap: Gap) => number, value: number): number {
  return lastUpTo(gaps.length, (i) => of(gaps[i]!), value);
}

/** Returns the gap at a place; null where rows are. */
export function gapAt(layout: RowLayout, place: number): Gap | null {
  const gap = layout.gaps[lastGap(layout, ({ start }) => start, place)];
  return gap !== undefined && place < gap.end ? gap : null;
}

/** Returns the gaps of which a part lies between two places. */
export function gapsBetween(layout: RowLayout, low: number, high: number): readonly Gap[] {
  const first = lastGap(layout, ({ end }) => end, low) + 1;
  return layout.gaps.slice(first, lastGap(layout, ({ start }) => start, high) + 1);
}

/** Returns the time at a place, in seconds. */
export function timeAtPlace(layout: RowLayout, place: number): number {
  const { axis, gaps } = layout;
  const gap = gaps[lastGap(layout, ({ start }) => start, place)];
  if (gap === undefined) return axis.filled[0]! + place * axis.typical;
  if (place >= gap.end) return gap.to + (place - gap.end) * axis.typical;
  return gap.from + ((place - gap.start) / (gap.end - gap.start)) * (gap.to - gap.from);
}

/** The reverse of `timeAtPlace`. */
export function placeAtTime(layout: RowLayout, time: number): number {
  const { axis, gaps } = layout;
  const gap = gaps[lastGap(layout, ({ from }) => from, time)];
  if (gap === undefined) return (time - axis.filled[0]!) / axis.typical;
  if (time >= gap.to) return gap.end + (time - gap.to) / axis.typical;
  return gap.start + ((time - gap.from) / (gap.to - gap.from)) * (gap.end - gap.start);
}

/** Returns the time when a row began, or a part of it had passed. An edge beside a pause is that of the row after it. */
export function timeAtRow(layout: RowLayout, row: number): number {
  const { filled, typical } = layout.axis;
  const index = Math.min(filled.length - 1, Math.max(0, Math.floor(row)));
  const within = row - index;
  if (within < 0) return filled[0]! + within * typical;
  const duration = rowEnd(layout, index) - filled[index]!;
  return within <= 1 ? filled[index]! + within * duration : rowEnd(layout, index) + (within - 1) * typical;
}

/** Returns the time at which what ends at an edge between rows ends: before a pause, not after it. */
export function timeBeforeEdge(layout: RowLayout, edge: number): number {
  const isBetween = Number.isInteger(edge) && edge > 0 && edge <= layout.starts.length;
  return isBetween ? rowEnd(layout, edge - 1) : timeAtRow(layout, edge);
}

/** The reverse of `timeAtRow`; a time in a pause is the edge between the rows beside it. */
export function rowAtTime(layout: RowLayout, time: number): number {
  const { filled, typical } = layout.axis;
  if (time < filled[0]!) return (time - filled[0]!) / typical;
  const row = Math.max(
    0,
    lastUpTo(filled.length, (i) => filled[i]!, time),
  );
  const end = rowEnd(layout, row);
  if (time >= end) return row + 1 === filled.length ? row + 1 + (time - end) / typical : row + 1;
  return row + (time - filled[row]!) / (end - filled[row]!);
}

export function placeAtRow({ starts, ends, length }: RowLayout, row: number): number {
  if (row < 0) return row;
  const index = Math.floor(row);
  if (index >= starts.length) return length + row - starts.length;
  return starts[index]! + (row - index) * (ends[index]! - starts[index]!);
}

/** The reverse of `placeAtRow`; a place in a gap is the edge between the rows beside it. */
export function rowAtPlace(layout: RowLayout, place: number): number {
  const row = recordedAt(layout, place);
  return Number.isNaN(row) ? lastRow(layout, place) + 1 : row;
}

/** Returns the row at a place, with a fraction; NaN in a gap. */
export function recordedAt(layout: RowLayout, place: number): number {
  const { starts, ends, length } = layout;
  if (place < 0) return place;
  if (place >= length) return starts.length + place - length;
  const row = lastRow(layout, place);
  const end = ends[row]!;
  return place < end ? row + (place - starts[row]!) / (end - starts[row]!) : Number.NaN;
}

/** Returns the last row that starts before or at a place that is not negative. */
function lastRow({ starts }: RowLayout, place: number): number {
  return Math.max(
    0,
    lastUpTo(starts.length, (i) => starts[i]!, place),
  );
}

/** Returns the seconds at which a row ends. */
function rowEnd(layout: RowLayout, row: number): number {
  const { axis, gaps } = layout;
  const { filled } = axis;
  if (row + 1 >= filled.length) return filled[row]! + durationBefore(axis, row);
  const gap = gaps[lastGap(layout, ({ after }) => after, row)];
  return gap?.after === row ? gap.from : filled[row + 1]!;
}
