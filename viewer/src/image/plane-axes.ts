import type { Plane } from '../../../src/contract/open.js';
import type { Pane } from '../model/document.ts';
import type { Rect } from '../model/geometry.ts';
import { indexAtValue, type MeasuredAxis, valueAtIndex } from '../model/measured-axis.ts';
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

/** Returns where an edge or any other place of a calibrated axis lies, in its unit: sample n starts at n. */
export function placeValue({ step, measured, start = 0 }: Scaled, coordinate: number): number {
  return measured === null ? start + coordinate * step : valueAtIndex(measured, coordinate);
}

/** The reverse of `placeValue`. */
export function valuePlace({ step, measured, start = 0 }: Scaled, value: number): number {
  return measured === null ? (value - start) / step : indexAtValue(measured, value);
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
export function axisTitle(axis: PlaneAxis, largest: number): string {
  if (axis.calibrated) return `${axis.quantity} (${scaleFor(axis.unit, largest).unit})`;
  if (isCounted(axis)) return axis.quantity;
  return axis.quantity === 'z' ? `z (${axis.sample})` : axis.sample;
}

/** True for sections and time points without a step, which are counted from 1. */
function isCounted({ quantity }: PlaneAxis): boolean {
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
}

export function displayAxes(pane: Pane): { readonly x: DisplayAxis; readonly y: DisplayAxis } {
  const { row, column } = planeAxes(pane);
  const { transposed, upward } = pane.orientation.value;
  return {
    x: { ...(transposed ? row : column), reversed: false },
    y: { ...(transposed ? column : row), reversed: upward },
  };
}

/** Returns the visible range in the unit of the axis; `from` < `to`. It may extend beyond the plane. */
function visibleRange(axis: DisplayAxis, start: number, length: number): { from: number; to: number } {
  const first = axis.reversed ? axis.size - start - length : start;
  const origin = axisOrigin(axis);
  return { from: placeValue(axis, first - origin), to: placeValue(axis, first + length - origin) };
}

/** Returns the visible part of the plane in the unit of the axis. */
export function visibleExtent(axis: DisplayAxis, view: Rect, along: 'x' | 'y'): { from: number; to: number } {
  const [start, length] = along === 'x' ? [view.x, view.width] : [view.y, view.height];
  const low = Math.max(0, start);
  return visibleRange(axis, low, Math.min(axis.size, start + length) - low);
}

/** Returns the display coordinate of a value on the axis. */
export function toDisplayCoordinate(axis: DisplayAxis, value: number): number {
  const sample = valuePlace(axis, value) + axisOrigin(axis);
  return axis.reversed ? axis.size - sample : sample;
}
