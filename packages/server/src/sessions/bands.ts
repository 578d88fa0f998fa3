import type { RowBand } from '../decode/types.js';

/**
 * Splits rows 0 … `rows` − 1 into at most `count` bands of nearly equal height, in order.
 * @param step rows that stay together: the height of each band but the last is a multiple of it
 */
export function splitIntoBands(rows: number, count: number, step = 1): RowBand[] {
  const rowsEach = Math.ceil(rows / Math.min(count, rows) / step) * step;
  return Array.from({ length: Math.ceil(rows / rowsEach) }, (_, i) => ({
    first: i * rowsEach,
    count: Math.min(rowsEach, rows - i * rowsEach),
  }));
}
