import type { SourceData } from './plane-data.js';
import { copyPiece } from './plane-target.js';
import { allocateSamples, type SampleArray, type SampleType } from './types.js';

/** Every `rowStep`-th row and `columnStep`-th column of a plane, from a first one on. All of them are inside the plane. */
export interface Grid {
  firstRow: number;
  rows: number;
  rowStep: number;
  firstColumn: number;
  columns: number;
  columnStep: number;
}

/**
 * Returns a copy of samples of a plane: `rows` × `columns`, row-major.
 * @param type the type of the copy, which has all numbers of the plane; that of the plane when omitted
 */
export function copyGrid(
  { columns: rowLength, sampleType, segments }: SourceData,
  grid: Grid,
  type: SampleType = sampleType,
): SampleArray {
  const { firstRow, rows, rowStep, firstColumn, columns, columnStep } = grid;
  const out = allocateSamples(type, rows * columns);
  const strides = { rowStride: rowLength * rowStep, columnStride: columnStep };
  for (const segment of segments) {
    // Rows of the grid in this segment.
    const from = Math.max(0, Math.ceil((segment.firstRow - firstRow) / rowStep));
    const to = Math.min(rows, Math.ceil((segment.firstRow + segment.rowCount - firstRow) / rowStep));
    if (from >= to) continue;
    const offset = (firstRow + from * rowStep - segment.firstRow) * rowLength + firstColumn;
    copyPiece({ samples: segment.samples, offset, ...strides }, out, from * columns, columns, to - from, columns);
  }
  return out;
}
