import type { Shape } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import { meanAcross } from './line-profile.ts';

/**
 * Returns the mean of the samples along a path of straight pieces: one sample per step of at most the length of a
 * sample, interpolated between its four neighbors. NaN when no neighbor is finite. A path of one point has the value of
 * the sample that it is in. A wide path has the mean of `width` samples across it at each step, of those inside the plane.
 */
export function pathMean(data: Samples, shape: Shape, points: readonly PlanePoint[], width = 1): number {
  const [first] = points;
  if (first === undefined) return Number.NaN;
  if (points.length === 1) return sampleOf(data, shape, Math.floor(first.row), Math.floor(first.column));
  let sum = 0;
  let count = 0;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const steps = Math.max(1, Math.ceil(Math.hypot(b.row - a.row, b.column - a.column)));
    for (let step = 0; step < steps; step++) {
      // The middle of each step, so that the ends of pieces do not count twice.
      const share = (step + 0.5) / steps;
      const at = { row: a.row + share * (b.row - a.row), column: a.column + share * (b.column - a.column) };
      const value =
        width === 1
          ? interpolate(data, shape, at.row, at.column)
          : meanAcross(data, shape, { ...at, ...direction(a, b) }, width);
      if (!Number.isFinite(value)) continue;
      sum += value;
      count += 1;
    }
  }
  return count === 0 ? Number.NaN : sum / count;
}

function direction(a: PlanePoint, b: PlanePoint) {
  const length = Math.hypot(b.row - a.row, b.column - a.column) || 1;
  return { down: (b.row - a.row) / length, right: (b.column - a.column) / length };
}

function interpolate(data: Samples, shape: Shape, row: number, column: number): number {
  const [top, left] = [Math.floor(row - 0.5), Math.floor(column - 0.5)];
  const [down, right] = [row - 0.5 - top, column - 0.5 - left];
  const at = (r: number, c: number) => sampleOf(data, shape, r, c);
  const upper = at(top, left) * (1 - right) + at(top, left + 1) * right;
  const lower = at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right;
  return upper * (1 - down) + lower * down;
}

/** Returns a sample; outside of the plane the nearest one inside. */
function sampleOf(data: Samples, [rows, columns]: Shape, row: number, column: number): number {
  const r = Math.min(rows - 1, Math.max(0, row));
  const c = Math.min(columns - 1, Math.max(0, column));
  return data[r * columns + c]!;
}
