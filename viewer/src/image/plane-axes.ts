import type { Plane } from '../../../src/contract/open.js';
import type { Pane } from '../model/document.ts';
import type { Rect } from '../model/geometry.ts';
import { isPhysical, scaleFor } from './ticks.ts';

/** One axis of a plane, with the words for it. */
export interface PlaneAxis {
  readonly unit: string;
  readonly step: number;
  /** In samples. */
  readonly size: number;
  readonly calibrated: boolean;
  /** What is measured along it: `time`, `position`, `x`, `y`, `z`. */
  readonly quantity: string;
  /** One sample of it: `line` or `pixel`. */
  readonly sample: 'line' | 'pixel';
}

export interface PlaneAxes {
  readonly row: PlaneAxis;
  readonly column: PlaneAxis;
}

export function planeAxes({ plane, lineScan }: { readonly plane: Plane; readonly lineScan: boolean }): PlaneAxes {
  return {
    row: describeAxis(plane, 0, lineScan),
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
  };
}

/** Height of a sample over its width in the specimen, when both axes are measured alike; else null. */
export function specimenRatio({ row, column }: PlaneAxes): number | null {
  return row.unit === column.unit ? row.step / column.step : null;
}

/** As a title of the axis: `time (s)`; without calibration what is counted, `z (pixel)` where that is not obvious. */
export function axisTitle(axis: PlaneAxis, largest: number): string {
  if (axis.calibrated) return `${axis.quantity} (${scaleFor(axis.unit, largest).unit})`;
  return axis.quantity === 'z' ? `z (${axis.sample})` : axis.sample;
}

/**
 * Where an axis without calibration has its numbers: sample n at its middle. A calibrated one starts with 0 at the
 * edge of its first sample, which begins then and there.
 */
export function axisOrigin(axis: PlaneAxis): number {
  return axis.calibrated ? 0 : 0.5;
}

/** An axis as it lies in a card. */
export interface DisplayAxis extends PlaneAxis {
  /** The first sample is at the right or at the bottom. */
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

/** Ends of the visible part in the unit of the axis; the lesser first. May lie beyond the plane. */
export function visibleRange(axis: DisplayAxis, start: number, length: number): { from: number; to: number } {
  const first = axis.reversed ? axis.size - start - length : start;
  const origin = axisOrigin(axis);
  return { from: (first - origin) * axis.step, to: (first + length - origin) * axis.step };
}

/** The part of the plane itself that is in view, in the units of its axes. */
export function visibleExtent(axis: DisplayAxis, view: Rect, along: 'x' | 'y'): { from: number; to: number } {
  const [start, length] = along === 'x' ? [view.x, view.width] : [view.y, view.height];
  const low = Math.max(0, start);
  return visibleRange(axis, low, Math.min(axis.size, start + length) - low);
}

/** Display coordinate of a value of the axis. */
export function placeOf(axis: DisplayAxis, value: number): number {
  const sample = value / axis.step + axisOrigin(axis);
  return axis.reversed ? axis.size - sample : sample;
}
