/**
 * The samples of ellipses and polygons, by the rule of ImageJ: those whose center is inside. An ellipse fills its box of
 * whole samples and contains centers on its line; of a polygon, centers on a lower or right edge belong to it, those on an
 * upper or left edge do not. A polygon that crosses itself contains what an odd number of its edges surrounds.
 */
import type { PlanePoint, Shape } from '../model/geometry.ts';
import type { PlaneRegion } from './region.ts';

/** Max crossings of edges with rows, so that a hostile link does not stop the page. */
const MAX_CROSSINGS = 10_000_000;

/** Returns the samples of the ellipse in the box of whole samples that two corners touch. */
export function ellipseBetween(from: PlanePoint, to: PlanePoint, shape: Shape): PlaneRegion {
  const [top, bottom] = touched(from.row, to.row);
  const [left, right] = touched(from.column, to.column);
  const center = { row: (top + bottom) / 2, column: (left + right) / 2 };
  const radius = { row: (bottom - top) / 2, column: (right - left) / 2 };
  const runs = new Runs(shape);
  for (let row = Math.max(0, top); row < Math.min(shape[0], bottom); row++) {
    const down = (row + 0.5 - center.row) / radius.row;
    const isInside = (column: number) => ((column + 0.5 - center.column) / radius.column) ** 2 + down * down <= 1;
    const half = radius.column * Math.sqrt(Math.max(0, 1 - down * down));
    let first = Math.round(center.column - half);
    let last = Math.round(center.column + half) - 1;
    // Rounding may miss by one.
    if (isInside(first - 1)) first -= 1;
    while (first <= last && !isInside(first)) first += 1;
    if (isInside(last + 1)) last += 1;
    while (first <= last && !isInside(last)) last -= 1;
    runs.add(row, first, last + 1);
  }
  return runs.end(center);
}

/** Returns the whole samples that a span touches; at least one. */
export function touched(a: number, b: number): readonly [from: number, to: number] {
  const from = Math.floor(Math.min(a, b));
  return [from, Math.max(from + 1, Math.ceil(Math.max(a, b)))];
}

/** Centers this close to an edge lie on it, as in ImageJ, whatever the rounding. */
const NEARLY = 1e-8;

interface Edge {
  /** First row whose center the edge crosses, and the row after the last. */
  readonly first: number;
  readonly end: number;
  readonly from: PlanePoint;
  /** Columns for each row. */
  readonly slope: number;
}

/** Returns the samples inside a polygon through points; none for a polygon with too many crossings. */
export function polygonThrough(points: readonly PlanePoint[], shape: Shape): PlaneRegion {
  const edges = points
    .map((point, i) => toEdge(point, points[(i + 1) % points.length]!, shape[0]))
    .filter(({ first, end }) => first < end)
    .sort((a, b) => a.first - b.first);
  const runs = new Runs(shape);
  const crossings = edges.reduce((sum, { first, end }) => sum + end - first, 0);
  if (crossings > MAX_CROSSINGS) return { rows: [0, 0], columns: [0, 0], runs: new Int32Array() };
  let active: Edge[] = [];
  let next = 0;
  let firstEnd = Number.POSITIVE_INFINITY;
  for (let row = edges[0]?.first ?? 0; next < edges.length || active.length > 0; row++) {
    // Most rows cross the same edges as the row before.
    if (firstEnd <= row) active = active.filter(({ end }) => end > row);
    const isChanged = firstEnd <= row || edges[next]?.first === row;
    for (; edges[next]?.first === row; next++) active.push(edges[next]!);
    if (isChanged) firstEnd = active.reduce((least, { end }) => Math.min(least, end), Number.POSITIVE_INFINITY);
    const cuts = cutsOf(active, row);
    for (let i = 1; i < cuts.length; i += 2) runs.add(row, cuts[i - 1]!, cuts[i]!);
  }
  const rows = points.map(({ row }) => row);
  const columns = points.map(({ column }) => column);
  const middle = (values: number[]) => (Math.min(...values) + Math.max(...values)) / 2;
  return runs.end({ row: middle(rows), column: middle(columns) });
}

/** Returns the columns beyond the edges in a row, from left to right. */
function cutsOf(edges: readonly Edge[], row: number): number[] {
  const cuts: number[] = [];
  for (const { from, slope } of edges) cuts.push(beside(from.column + slope * (row + 0.5 - from.row) + NEARLY));
  return cuts.length === 2 && cuts[0]! <= cuts[1]! ? cuts : cuts.sort((a, b) => a - b);
}

function toEdge(one: PlanePoint, other: PlanePoint, rows: number): Edge {
  const [a, b] = one.row <= other.row ? [one, other] : [other, one];
  const limit = (row: number) => Math.min(rows, Math.max(0, beside(row)));
  return {
    first: limit(a.row),
    end: limit(b.row),
    from: a,
    slope: (b.column - a.column) / (b.row - a.row),
  };
}

/** Returns the first sample whose center lies beyond a coordinate. */
function beside(coordinate: number): number {
  return Math.floor(coordinate + 0.5);
}

/** Runs of samples inside a plane, in order. Those that touch become one. */
class Runs {
  #data = new Int32Array(768);
  #length = 0;
  readonly #shape: Shape;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  /** Adds a run, as far as it is inside the plane. */
  add(row: number, from: number, to: number): void {
    const [first, end] = [Math.max(0, from), Math.min(this.#shape[1], to)];
    if (first >= end) return;
    const at = this.#length;
    const data = this.#data;
    if (at > 0 && data[at - 3] === row && data[at - 1]! >= first) {
      data[at - 1] = Math.max(data[at - 1]!, end);
      return;
    }
    if (at === data.length) {
      this.#data = new Int32Array(2 * at);
      this.#data.set(data);
    }
    this.#data[at] = row;
    this.#data[at + 1] = first;
    this.#data[at + 2] = end;
    this.#length += 3;
  }

  /** Returns the region; the sample in the middle of an outline that contains no center. */
  end(middle: PlanePoint): PlaneRegion {
    const [rows, columns] = this.#shape;
    if (this.#length === 0) {
      const column = within(middle.column, columns);
      this.add(within(middle.row, rows), column, column + 1);
    }
    const runs = this.#data.slice(0, this.#length);
    let [left, right] = [columns, 0];
    for (let i = 0; i < runs.length; i += 3) {
      left = Math.min(left, runs[i + 1]!);
      right = Math.max(right, runs[i + 2]!);
    }
    return { rows: [runs[0]!, runs.at(-3)! + 1], columns: [left, right], runs };
  }
}

function within(coordinate: number, size: number): number {
  return Math.min(size - 1, Math.max(0, Math.floor(coordinate)));
}
