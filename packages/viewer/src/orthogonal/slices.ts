/** Samples of cross-sections, cut from planes. The maximum of a slab ignores NaN, unless all are. */
import type { Shape } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';

type Range = readonly [first: number, end: number];

/** Writes the maximum of some rows of a plane to `out`, from `at` on: one value for each column. */
export function cutRows(plane: Samples, [, columns]: Shape, [first, end]: Range, out: Samples, at: number): void {
  out.set(plane.subarray(first * columns, (first + 1) * columns), at);
  for (let row = first + 1; row < end; row++) {
    const start = row * columns;
    for (let column = 0; column < columns; column++) {
      const value = plane[start + column]!;
      const before = out[at + column]!;
      if (value > before || Number.isNaN(before)) out[at + column] = value;
    }
  }
}

/** Writes the maximum of some columns of a plane to `out`, from `at` on: one value for each row. */
export function cutColumns(
  plane: Samples,
  [rows, columns]: Shape,
  [first, end]: Range,
  out: Samples,
  at: number,
): void {
  for (let row = 0; row < rows; row++) {
    const start = row * columns;
    let highest = plane[start + first]!;
    for (let column = first + 1; column < end; column++) {
      const value = plane[start + column]!;
      if (value > highest || Number.isNaN(highest)) highest = value;
    }
    out[at + row] = highest;
  }
}

/** Returns the maximum of planes of one size and type, sample by sample. */
export function maxOfPlanes(planes: readonly Samples[]): Samples {
  const [first, ...others] = planes;
  const out = first!.slice();
  for (const plane of others) {
    for (let i = 0; i < out.length; i++) {
      const value = plane[i]!;
      const before = out[i]!;
      if (value > before || Number.isNaN(before)) out[i] = value;
    }
  }
  return out;
}

/** Returns an array of the type of `like`, filled with 0. */
export function samplesLike(like: Samples, length: number): Samples {
  return new (like.constructor as new (length: number) => Samples)(length);
}
