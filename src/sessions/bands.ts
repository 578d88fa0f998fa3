import type { RowBand } from '../decode/types.js';

/** Splits rows 0 … `rows` − 1 into at most `count` bands of nearly equal height, in order. */
export function splitIntoBands(rows: number, count: number): RowBand[] {
  const rowsEach = Math.ceil(rows / Math.min(count, rows));
  return Array.from({ length: Math.ceil(rows / rowsEach) }, (_, i) => ({
    first: i * rowsEach,
    count: Math.min(rowsEach, rows - i * rowsEach),
  }));
}
