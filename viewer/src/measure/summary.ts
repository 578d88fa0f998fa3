/** Measures in words. */
import type { LineMeasure } from '../analysis/line.ts';
import { formatQuantity } from '../image/readout.ts';

/** Four significant digits, without an exponent where a person would write none. */
export function measureText(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size >= 1e6 || size < 1e-4 ? size.toExponential(3) : String(Number(size.toPrecision(4)));
  return value < 0 ? `−${text}` : text;
}

/** What a line is drawn for: the velocity on a kymograph, else the length. */
export function lineSummary({ velocity, length, lengthUnit, lines, pixels }: LineMeasure): string {
  if (velocity !== null) return `${measureText(velocity)} µm/s`;
  if (lengthUnit === 'micrometer') return formatQuantity(length, lengthUnit);
  return `${measureText(Math.abs(lines))} × ${measureText(Math.abs(pixels))} px`;
}
