/** Positions of marks in seconds and µm; in samples where an axis is not calibrated. */
import { endValue, type PlaneAxis, placeValue, planeAxes, valuePlace } from '../image/plane-axes.ts';
import type { Mark, Pane } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { isArea, isBox } from '../model/mark-kind.ts';
import { formatFixed } from '../model/number-text.ts';
import { markBounds } from './mark-region.ts';
import { markPoints } from './marks.ts';

/** The two directions of a plane, in the order of tables: time or rows, then position or columns. */
export const SIDES = ['row', 'column'] as const;
export type AxisSide = (typeof SIDES)[number];

const SYMBOLS: Record<string, string> = { seconds: 's', micrometer: 'µm' };

/** Returns the title of a direction: `time (s)`, `position (µm)`, `line`, `pixel`, `x (µm)`. */
export function sideTitle(pane: Pane, side: AxisSide): string {
  const axis = planeAxes(pane)[side];
  const symbol = SYMBOLS[axis.unit];
  if (symbol !== undefined) return `${axis.quantity} (${symbol})`;
  return pane.lineScan ? axis.sample : side === 'row' ? 'row' : 'column';
}

/** Returns the position of a point of a mark. The second edge of a rectangle or ellipse is where its last sample ends. */
export function pointPosition(axis: PlaneAxis, mark: Mark, point: PlanePoint, side: AxisSide): number {
  const isEnd = isBox(mark.kind) && axis.calibrated && markPoints(mark).some((other) => other[side] < point[side]);
  return isEnd ? endValue(axis, point[side]) : toPosition(axis, point[side], mark.kind);
}

/**
 * Converts a coordinate of the plane. Without calibration sample n has the number n in its middle; an edge of a region
 * has the number of the sample that starts there.
 */
export function toPosition(axis: PlaneAxis, coordinate: number, kind: Mark['kind']): number {
  if (axis.calibrated) return placeValue(axis, coordinate);
  return isArea(kind) ? coordinate : coordinate - 0.5;
}

/** The reverse, to a millionth of a sample: 1.17 s / 0.00117 s would otherwise be in line 999. */
export function fromPosition(axis: PlaneAxis, position: number, kind: Mark['kind']): number {
  if (axis.calibrated) return Number(valuePlace(axis, position).toFixed(6));
  return isArea(kind) ? position : position + 0.5;
}

/** Returns where a mark starts and ends along a direction, from low to high; whole samples for a region. */
export function markSpan(mark: Mark, pane: Pane, side: AxisSide): readonly [from: number, to: number] {
  const axis = planeAxes(pane)[side];
  if (isArea(mark.kind)) {
    const { rows, columns } = markBounds(mark, pane.shape);
    const [first, end] = side === 'row' ? rows : columns;
    return axis.calibrated ? [placeValue(axis, first), endValue(axis, end)] : [first, end - 1];
  }
  const positions = markPoints(mark).map((point) => toPosition(axis, point[side], mark.kind));
  return [Math.min(...positions), Math.max(...positions)];
}

/** Formats a span with enough decimals for a tenth of a sample: `1.1700–2.3400`; a single number for a point. */
export function spanText([from, to]: readonly [number, number], axis: PlaneAxis): string {
  const text = (value: number) => positionText(value, axis);
  return text(from) === text(to) ? text(from) : `${text(from)}–${text(to)}`;
}

function positionText(value: number, axis: PlaneAxis): string {
  if (!axis.calibrated) return formatFixed(value, Number.isInteger(value) ? 0 : 1);
  return formatFixed(value, positionDecimals(axis));
}

/** Returns the decimals that distinguish tenths of a sample. */
export function positionDecimals(axis: PlaneAxis): number {
  return axis.calibrated ? Math.max(0, 1 - Math.floor(Math.log10(axis.step))) : 2;
}
