/**
 * Three coordinate systems of an image. **Plane**: row and column of the served array; the center of the first sample
 * is (0.5, 0.5). **Display**: the plane after transposing and flipping, which never change the data; x to the right and
 * y down, one unit per sample. Rows with a layout are true to time there, with gaps where nothing was recorded.
 * **Screen**: CSS pixels of the card.
 */
import { placeAtRow, type RowLayout, rowAtPlace } from './row-layout.ts';

export interface PlanePoint {
  readonly row: number;
  readonly column: number;
}

/** Size of a plane. */
export type Shape = readonly [rows: number, columns: number];

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A part of the display; width and height are positive. */
export interface Rect extends Point, Size {}

/** Orientation of a plane on screen. A kymograph has time to the right and its first pixel at the bottom. */
export interface Orientation {
  /** Rows run to the right and columns vertically. */
  readonly transposed: boolean;
  /** The first sample of the vertical axis is at the bottom. */
  readonly upward: boolean;
}

/** How a plane lies on the display. */
export interface Layout extends Orientation {
  /** Null or absent where rows are evenly spaced. */
  readonly rows?: RowLayout | null;
}

/** Returns the size of the display of a plane with [rows, columns]. */
export function displaySize([rows, columns]: readonly [number, number], { transposed, rows: lying }: Layout): Size {
  const along = lying?.length ?? rows;
  return transposed ? { width: along, height: columns } : { width: columns, height: along };
}

export function planeToDisplay({ row, column }: PlanePoint, shape: readonly [number, number], layout: Layout): Point {
  const along = layout.rows ? placeAtRow(layout.rows, row) : row;
  const x = layout.transposed ? along : column;
  const y = layout.transposed ? column : along;
  return { x, y: layout.upward ? displaySize(shape, layout).height - y : y };
}

/** Returns the point of the plane at a point of the display; in a gap, one on the edge between the rows beside it. */
export function displayToPlane({ x, y }: Point, shape: readonly [number, number], layout: Layout): PlanePoint {
  const down = layout.upward ? displaySize(shape, layout).height - y : y;
  const [along, column] = layout.transposed ? [x, down] : [down, x];
  return { row: layout.rows ? rowAtPlace(layout.rows, along) : along, column };
}

/** Converts a display point to the screen. `view` fills `size`, and each axis has its own scale. */
export function displayToScreen({ x, y }: Point, view: Rect, size: Size): Point {
  return { x: ((x - view.x) / view.width) * size.width, y: ((y - view.y) / view.height) * size.height };
}

export function screenToDisplay({ x, y }: Point, view: Rect, size: Size): Point {
  return { x: view.x + (x / size.width) * view.width, y: view.y + (y / size.height) * view.height };
}
