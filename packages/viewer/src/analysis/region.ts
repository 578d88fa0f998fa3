import type { PlanePoint, Shape } from '../model/geometry.ts';
import type { Slices } from './slices.ts';

/** The samples in rows [from, to) and columns [from, to); of a shape only its runs in them. */
export interface PlaneRegion {
  readonly rows: readonly [from: number, to: number];
  readonly columns: readonly [from: number, to: number];
  /** Row, first column and the one after the last of each run of samples, from top to bottom and left to right. */
  readonly runs?: Int32Array;
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
export function clipRegion({ rows, columns, runs }: PlaneRegion, shape: Shape): PlaneRegion {
  const clip = ([from, to]: readonly [number, number], size: number): readonly [number, number] => {
    const first = Math.min(size, Math.max(0, Math.trunc(from)));
    return [first, Math.max(first, Math.min(size, Math.trunc(to)))];
  };
  // Runs are made for their plane.
  return { rows: clip(rows, shape[0]), columns: clip(columns, shape[1]), ...(runs ? { runs } : {}) };
}

/** Returns the number of samples of a region. */
export function sampleCount({ rows, columns, runs }: PlaneRegion): number {
  if (runs === undefined) return (rows[1] - rows[0]) * (columns[1] - columns[0]);
  let count = 0;
  for (let i = 0; i < runs.length; i += 3) count += runs[i + 2]! - runs[i + 1]!;
  return count;
}

/** Returns a region as seen from another origin. */
export function moveRegion({ rows, columns, runs }: PlaneRegion, down: number, right: number): PlaneRegion {
  const by = ([from, to]: readonly [number, number], step: number) => [from + step, to + step] as const;
  const moved = runs?.map((place, i) => place + (i % 3 === 0 ? down : right));
  return { rows: by(rows, down), columns: by(columns, right), ...(moved ? { runs: moved } : {}) };
}

/** Calls `work` with ranges of `data` that are each within one row, and pauses between blocks. */
export async function eachStretch(
  region: PlaneRegion,
  [, width]: Shape,
  slices: Slices,
  work: (from: number, to: number) => void,
  share = 1,
): Promise<void> {
  const { rows, columns, runs } = region;
  const across = columns[1] - columns[0];
  const visitRows = (from: number, to: number) => {
    for (let at = from; at < to; ) {
      const row = Math.floor(at / across);
      const column = at - row * across;
      const length = Math.min(across - column, to - at);
      const first = (rows[0] + row) * width + columns[0] + column;
      work(first, first + length);
      at += length;
    }
  };
  const visit = runs === undefined ? visitRows : runVisitor(runs, width, work);
  await slices.each(sampleCount(region), visit, share);
}

/** Returns a function for successive ranges of the samples of runs. */
function runVisitor(runs: Int32Array, width: number, work: (from: number, to: number) => void) {
  let run = 0;
  /** Samples in the runs before. */
  let passed = 0;
  return (from: number, to: number) => {
    for (let at = from; at < to; ) {
      const [row, first, end] = [runs[run]!, runs[run + 1]!, runs[run + 2]!];
      if (at - passed >= end - first) {
        passed += end - first;
        run += 3;
        continue;
      }
      const start = row * width + first + at - passed;
      const length = Math.min(end - first - (at - passed), to - at);
      work(start, start + length);
      at += length;
    }
  };
}
