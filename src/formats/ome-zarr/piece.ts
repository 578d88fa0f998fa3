/** Where the samples of a plane lie in a chunk. Pure. */
import type { Pipeline } from './types.js';

/** Which plane: the axes that its rows and columns run along (no axis of rows: one row), and the index on the others. */
export interface PlanePlace {
  rowAxis: number | undefined;
  columnAxis: number;
  /** By axis of the array; those of rows and columns are 0. */
  index: readonly number[];
}

/** A rectangle of the plane and the place of its first sample in a chunk. */
export interface Piece {
  row: number;
  rows: number;
  column: number;
  columns: number;
  offset: number;
  rowStride: number;
  columnStride: number;
}

/** What a chunk that starts at `start` has of the plane. */
export function pieceOf(
  place: PlanePlace,
  { shape, order }: Pipeline,
  start: readonly number[],
  end: readonly number[],
): Piece {
  const strides = new Array<number>(shape.length).fill(0);
  let stride = 1;
  for (const axis of [...order].reverse()) {
    strides[axis] = stride;
    stride *= shape[axis] as number;
  }
  const size = (axis: number) => Math.min(shape[axis] as number, (end[axis] as number) - (start[axis] as number));
  const { rowAxis, columnAxis, index } = place;
  let offset = 0;
  for (let axis = 0; axis < shape.length; axis++) {
    if (axis === rowAxis || axis === columnAxis) continue;
    offset += ((index[axis] as number) - (start[axis] as number)) * (strides[axis] as number);
  }
  return {
    row: rowAxis === undefined ? 0 : (start[rowAxis] as number),
    rows: rowAxis === undefined ? 1 : size(rowAxis),
    column: start[columnAxis] as number,
    columns: size(columnAxis),
    offset,
    rowStride: rowAxis === undefined ? 0 : (strides[rowAxis] as number),
    columnStride: strides[columnAxis] as number,
  };
}
