/** Formats measurements. */
import type { LineMeasure } from '../analysis/line.ts';
import { formatNumber, formatQuantity } from '../model/number-text.ts';

/** Returns the main result of a line: the velocity on a kymograph, otherwise the length. */
export function lineSummary({ velocity, length, lengthUnit, lines, pixels }: LineMeasure): string {
  if (velocity !== null) return `${formatNumber(velocity)} µm/s`;
  if (lengthUnit === 'micrometer') return formatQuantity(length, lengthUnit);
  return `${formatNumber(Math.abs(lines))} × ${formatNumber(Math.abs(pixels))} px`;
}
