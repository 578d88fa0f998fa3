import type { PlanePoint, Shape } from '../model/geometry.ts';
import type { Slices } from './slices.ts';

/** The samples in rows [from, to) and columns [from, to). */
export interface PlaneRegion {
  readonly rows: readonly [from: number, to: number];
  readonly columns: readonly [from: number, to: number];
}

/** Returns all samples that a rectangle between two corners touches, limited to the plane; at least one. */
export function regionBetween(from: PlanePoint, to: PlanePoint, [rows, columns]: Shape): PlaneRegion {
  return { rows: span(from.row, to.row, rows), columns: span(from.column, to.column, columns) };
}

function span(a: number, b: number, size: number): readonly [number, number] {
  const from = Math.min(size - 1, Math.max(0, Math.floor(Math.min(a, b))));
  return [from, Math.min(size, Math.max(from + 1, Math.ceil(Math.max(a, b))))];
}

/** Returns the part of a region inside the plane, which may be empty. */
export function clipRegion({ rows, columns }: PlaneRegion, shape: Shape): PlaneRegion {
  const clip = ([from, to]: readonly [number, number], size: number): readonly [number, number] => {
    const first = Math.min(size, Math.max(0, Math.trunc(from)));
    return [first, Math.max(first, Math.min(size, Math.trunc(to)))];
  };
  return { rows: clip(rows, shape[0]), columns: clip(columns, shape[1]) };
}

/** Calls `work` with ranges of `data` that are each within one row, and pauses between blocks. */
export async function eachStretch(
  { rows, columns }: PlaneRegion,
  [, width]: Shape,
  slices: Slices,
  work: (from: number, to: number) => void,
  share = 1,
): Promise<void> {
  const across = columns[1] - columns[0];
  const total = across * (rows[1] - rows[0]);
  const visit = (from: number, to: number) => {
    for (let at = from; at < to; ) {
      const row = Math.floor(at / across);
      const column = at - row * across;
      const length = Math.min(across - column, to - at);
      const first = (rows[0] + row) * width + columns[0] + column;
      work(first, first + length);
      at += length;
    }
  };
  await slices.each(total, visit, share);
}
