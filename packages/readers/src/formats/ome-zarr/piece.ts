/** Locates the samples of a plane in a chunk. Pure. */
import type { Pipeline } from './types.js';

/** Selects a plane: the axes of its rows (without one, it has one row) and columns, and the index on the other axes. */
export interface PlanePlace {
  rowAxis: number | undefined;
  columnAxis: number;
  /** Index by axis; 0 for the axes of rows and columns. */
  index: readonly number[];
}

/** A rectangle of the plane, and the position of its samples in a chunk. */
export interface ChunkPiece {
  row: number;
  rows: number;
  column: number;
  columns: number;
  offset: number;
  rowStride: number;
  columnStride: number;
}

/** Returns the part of the plane in the chunk that starts at `start`. */
export function locatePiece(
  place: PlanePlace,
  { shape, order }: Pipeline,
  start: readonly number[],
  end: readonly number[],
): ChunkPiece {
  const strides = new Array<number>(shape.length).fill(0);
  let stride = 1;
  for (const axis of [...order].reverse()) {
    strides[axis] = stride;
    stride *= shape[axis]!;
  }
  const size = (axis: number) => Math.min(shape[axis]!, end[axis]! - start[axis]!);
  const { rowAxis, columnAxis, index } = place;
  let offset = 0;
  for (let axis = 0; axis < shape.length; axis++) {
    if (axis === rowAxis || axis === columnAxis) continue;
    offset += (index[axis]! - start[axis]!) * strides[axis]!;
  }
  return {
    row: rowAxis === undefined ? 0 : start[rowAxis]!,
    rows: rowAxis === undefined ? 1 : size(rowAxis),
    column: start[columnAxis]!,
    columns: size(columnAxis),
    offset,
    rowStride: rowAxis === undefined ? 0 : strides[rowAxis]!,
    columnStride: strides[columnAxis]!,
  };
}
