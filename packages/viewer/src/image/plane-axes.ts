import type { Plane } from '@acquisition-store/client/contract/open.js';
import type { Pane } from '../model/document.ts';
import type { Layout, Rect } from '../model/geometry.ts';
import { indexAtValue, type MeasuredAxis, valueAtIndex } from '../model/measured-axis.ts';
import {
  placeAtTime,
  type RowLayout,
  rowAtTime,
  rowLayout,
  timeAtPlace,
  timeAtRow,
  timeBeforeEdge,
} from '../model/row-layout.ts';
import { isPhysical, scaleFor } from '../model/units.ts';

/** One axis of a plane, with the words that describe it. */
export interface PlaneAxis {
  readonly unit: string;
  readonly step: number;
  /** In samples. */
  readonly size: number;
  readonly calibrated: boolean;
  /** Measured quantity: `time`, `position`, `x`, `y`, `z`. */
  readonly quantity: string;
  /** Name of one sample: `line` or `pixel`. */
  readonly sample: 'line' | 'pixel';
  /** Where the samples lie one by one; null when they are `step` apart. */
  readonly measured: MeasuredAxis | null;
  /** Value at the start of the axis; 0 when absent. */
  readonly start?: number;
}

interface PlaneAxes {
  readonly row: PlaneAxis;
  readonly column: PlaneAxis;
}

type AxesOf = Pick<Pane, 'plane' | 'lineScan'> & Partial<Pick<Pane, 'rowTimes' | 'rowStart'>>;

export function planeAxes({ plane, lineScan, rowTimes, rowStart = 0 }: AxesOf): PlaneAxes {
  const row = describeAxis(plane, 0, lineScan);
  return {
    row: { ...row, start: rowStart, measured: row.unit === 'seconds' ? (rowTimes?.value ?? null) : null },
    column: describeAxis(plane, 1, lineScan),
  };
}

function describeAxis({ axes, shape }: Plane, dimension: 0 | 1, lineScan: boolean): PlaneAxis {
  const axis = axes.find(({ arrayDimension }) => arrayDimension === dimension);
  const unit = axis?.unit ?? 'Pixels';
  const letter = dimension === 0 ? 'y' : 'x';
  return {
    unit,
    step: axis?.step ?? 1,
    size: axis?.size ?? shape[dimension] ?? 1,
    calibrated: isPhysical(unit),
    quantity: unit === 'seconds' ? 'time' : lineScan ? 'position' : (axis?.label ?? letter),
    sample: lineScan && dimension === 0 ? 'line' : 'pixel',
    measured: null,
  };
}

type Scaled = Pick<PlaneAxis, 'step' | 'measured' | 'start'>;

/** Returns how the rows of a line scan lie that have uneven times; null for all others. */
export function rowsOf(pane: AxesOf): RowLayout | null {
  const { measured } = pane.lineScan ? planeAxes(pane).row : { measured: null };
  return measured && rowLayout(measured);
}

/** Returns how a pane lies on the display. */
export function layoutOf(pane: AxesOf & Pick<Pane, 'orientation'>): Layout {
  const { transposed, upward } = pane.orientation.value;
  return { transposed, upward, rows: rowsOf(pane) };
}

/** Returns where an edge or any other place of a calibrated axis lies, in its unit: sample n starts at n. */
export function placeValue({ step, measured, start = 0 }: Scaled, coordinate: number): number {
  if (measured === null) return start + coordinate * step;
  const rows = rowLayout(measured);
  return rows === null ? valueAtIndex(measured, coordinate) : timeAtRow(rows, coordinate);
}

/** Returns where a stretch of samples ends that begins at a smaller coordinate: before a pause, not after it. */
export function endValue(axis: Scaled, edge: number): number {
  const rows = axis.measured && rowLayout(axis.measured);
  return rows ? timeBeforeEdge(rows, edge) : placeValue(axis, edge);
}

/** The reverse of `placeValue`. */
export function valuePlace({ step, measured, start = 0 }: Scaled, value: number): number {
  if (measured === null) return (value - start) / step;
  const rows = rowLayout(measured);
  return rows === null ? indexAtValue(measured, value) : rowAtTime(rows, value);
}

/** Returns the position of a sample of a calibrated axis: its middle, or its time stamp where it has one. */
export function sampleValue({ step, measured, start = 0 }: Scaled, index: number): number {
  return Number((measured === null ? start + (index + 0.5) * step : measured.filled[index]!).toPrecision(12));
}

/** Returns the height of a sample divided by its width in the specimen; null when the units of the axes differ. */
export function specimenRatio({ row, column }: PlaneAxes): number | null {
  return row.unit === column.unit ? row.step / column.step : null;
}

/** Returns the title of an axis: `time (s)`; without calibration `pixel`, `line` or `z (pixel)`. */
export function axisTitle(
  axis: Pick<PlaneAxis, 'unit' | 'quantity' | 'calibrated' | 'sample'>,
  largest: number,
): string {
  if (axis.calibrated) return `${axis.quantity} (${scaleFor(axis.unit, largest).unit})`;
  if (isCounted(axis)) return axis.quantity;
  return axis.quantity === 'z' ? `z (${axis.sample})` : axis.sample;
}

/** True for sections and time points without a step, which are counted from 1. */
function isCounted({ quantity }: Pick<PlaneAxis, 'quantity'>): boolean {
  return quantity === 'section' || quantity === 'time point';
}

/**
 * Returns the display coordinate of 0. An axis without calibration has number n in the middle of sample n; a calibrated
 * axis starts with 0 at the edge of its first sample.
 */
function axisOrigin(axis: PlaneAxis): number {
  return axis.calibrated ? 0 : 0.5;
}

/** An axis as it is shown in a card. */
export interface DisplayAxis extends PlaneAxis {
  /** True when the first sample is at the right or at the bottom. */
  readonly reversed: boolean;
  /** How its samples lie; null where they are evenly spaced. */
  readonly rows: RowLayout | null;
  /** Length on the display. */
  readonly length: number;
}

export function displayAxes(pane: Pane): { readonly x: DisplayAxis; readonly y: DisplayAxis } {
  const { row, column } = planeAxes(pane);
  const { transposed, upward, rows = null } = layoutOf(pane);
  const along = { ...row, rows, length: rows?.length ?? row.size };
  const across = { ...column, rows: null, length: column.size };
  return {
    x: { ...(transposed ? along : across), reversed: false },
    y: { ...(transposed ? across : along), reversed: upward },
  };
}

/** Returns the value of a unit of the display; null where it is not the same everywhere, so that there is no scale. */
export function displayStep({ step, measured, rows }: DisplayAxis): number | null {
  if (rows === null) return measured?.uneven ? null : step;
  return rows.gaps.some(({ isShortened }) => isShortened) ? null : rows.axis.typical;
}

/** Returns the visible range in the unit of the axis; `from` < `to`. It may extend beyond the plane. */
function visibleRange(axis: DisplayAxis, start: number, length: number): { from: number; to: number } {
  const first = axis.reversed ? axis.length - start - length : start;
  const { rows } = axis;
  if (rows !== null) return { from: timeAtPlace(rows, first), to: timeAtPlace(rows, first + length) };
  const origin = axisOrigin(axis);
  return { from: placeValue(axis, first - origin), to: placeValue(axis, first + length - origin) };
}

/** Returns the visible part of the plane in the unit of the axis. */
export function visibleExtent(axis: DisplayAxis, view: Rect, along: 'x' | 'y'): { from: number; to: number } {
  const [start, length] = along === 'x' ? [view.x, view.width] : [view.y, view.height];
  const low = Math.max(0, start);
  return visibleRange(axis, low, Math.min(axis.length, start + length) - low);
}

/** Returns the display coordinate of a value on the axis. */
export function toDisplayCoordinate(axis: DisplayAxis, value: number): number {
  const place = axis.rows === null ? valuePlace(axis, value) + axisOrigin(axis) : placeAtTime(axis.rows, value);
  return axis.reversed ? axis.length - place : place;
}
