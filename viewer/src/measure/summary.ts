/** Formats measurements. */
import type { LineMeasure } from '../analysis/line.ts';
import { formatQuantity } from '../image/readout.ts';

/** Formats a number with four significant digits, and with an exponent only when it is very large or small. */
export function measureText(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? size.toExponential(3) : String(Number(size.toPrecision(4)));
  return value < 0 ? `−${text}` : text;
}

/** Returns the main result of a line: the velocity on a kymograph, otherwise the length. */
export function lineSummary({ velocity, length, lengthUnit, lines, pixels }: LineMeasure): string {
  if (velocity !== null) return `${measureText(velocity)} µm/s`;
  if (lengthUnit === 'micrometer') return formatQuantity(length, lengthUnit);
  return `${measureText(Math.abs(lines))} × ${measureText(Math.abs(pixels))} px`;
}
