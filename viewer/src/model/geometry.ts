/**
 * Three coordinate systems of an image. **Plane**: row and column of the served array; the center of the first sample
 * is (0.5, 0.5). **Display**: the plane after transposing and flipping, which never change the data; x to the right and
 * y down, one unit per sample. **Screen**: CSS pixels of the card.
 */
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

/** Returns the size of the display of a plane with [rows, columns]. */
export function displaySize([rows, columns]: readonly [number, number], { transposed }: Orientation): Size {
  return transposed ? { width: rows, height: columns } : { width: columns, height: rows };
}

export function planeToDisplay(
  { row, column }: PlanePoint,
  shape: readonly [number, number],
  orientation: Orientation,
): Point {
  const x = orientation.transposed ? row : column;
  const y = orientation.transposed ? column : row;
  return { x, y: orientation.upward ? displaySize(shape, orientation).height - y : y };
}

export function displayToPlane(
  { x, y }: Point,
  shape: readonly [number, number],
  orientation: Orientation,
): PlanePoint {
  const down = orientation.upward ? displaySize(shape, orientation).height - y : y;
  return orientation.transposed ? { row: x, column: down } : { row: down, column: x };
}

/** Converts a display point to the screen. `view` fills `size`, and each axis has its own scale. */
export function displayToScreen({ x, y }: Point, view: Rect, size: Size): Point {
  return { x: ((x - view.x) / view.width) * size.width, y: ((y - view.y) / view.height) * size.height };
}

export function screenToDisplay({ x, y }: Point, view: Rect, size: Size): Point {
  return { x: view.x + (x / size.width) * view.width, y: view.y + (y / size.height) * view.height };
}
