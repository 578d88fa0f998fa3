/** Formats measurements. */
import { type LineMeasure, lineMeasure } from '../analysis/line.ts';
import { placeValue, planeAxes } from '../image/plane-axes.ts';
import type { Mark, Pane } from '../model/document.ts';
import { formatNumber, formatQuantity } from '../model/number-text.ts';

/** Measures a line or polyline in the units of its pane. */
export function measureMark({ from, to, via }: Mark, pane: Pane): LineMeasure {
  const { row } = planeAxes(pane);
  const rows = row.measured && placeValue(row, to.row) - placeValue(row, from.row);
  return lineMeasure(from, to, pane.plane.axes, { via, rows });
}

/** Returns the main result of a line: the velocity on a kymograph, otherwise the length. */
export function lineSummary({ velocity, length, lengthUnit, lines, pixels }: LineMeasure): string {
  if (velocity !== null) return `${formatNumber(velocity)} µm/s`;
  if (lengthUnit === 'micrometer') return formatQuantity(length, lengthUnit);
  return `${formatNumber(Math.abs(lines))} × ${formatNumber(Math.abs(pixels))} px`;
}
