/** Places along a polyline, and the samples there. Whole numbers are centers of pixels. */

export type Vertex = readonly [row: number, column: number];

/** A place on a polyline, and the direction in which the line passes it, of length 1. */
export interface LinePlace {
  row: number;
  column: number;
  down: number;
  right: number;
}

/** A straight part of a polyline. */
interface Leg {
  from: Vertex;
  to: Vertex;
  dRow: number;
  dColumn: number;
  length: number;
  /** Distance from the first vertex of the polyline. */
  start: number;
}

/** Evenly spaced places from the first to the last vertex of a polyline, at most a pixel apart. */
export class Polyline {
  /** In pixels. */
  readonly length: number;
  readonly places: number;
  private readonly legs: Leg[];

  /** @param points two or more. Without length, there is one place twice */
  constructor(points: readonly Vertex[]) {
    this.legs = toLegs(points);
    this.length = this.legs.reduce((sum, { length }) => sum + length, 0);
    this.places = Math.max(1, Math.ceil(this.length)) + 1;
  }

  /** Distance of neighboring places along the line, in pixels. */
  get spacing(): number {
    return this.length / (this.places - 1);
  }

  /** Returns where a place of a line with a length is; the first one is 0. */
  at(place: number): LinePlace {
    const { leg, passed } = this.find(place);
    const { from, to, dRow, dColumn, length } = leg;
    return {
      // In this order, places along a row or column stay at the centers of its pixels.
      row: between(from[0], to[0], from[0] + (passed * dRow) / length),
      column: between(from[1], to[1], from[1] + (passed * dColumn) / length),
      down: dRow / length,
      right: dColumn / length,
    };
  }

  /** Returns the distance of each place from the first one along the line, for pixels of a height and width. */
  distances(height: number, width: number): Float64Array<ArrayBuffer> {
    const starts = new Map<Leg, { start: number; length: number }>();
    let start = 0;
    for (const leg of this.legs) {
      const length = Math.hypot(leg.dRow * height, leg.dColumn * width);
      starts.set(leg, { start, length });
      start += length;
    }
    return Float64Array.from({ length: this.places }, (_, place) => {
      const { leg, passed } = this.find(place);
      const { start, length } = starts.get(leg)!;
      // In this order, whole pixels along a row or column have whole distances.
      return start + (passed * length) / leg.length;
    });
  }

  private find(place: number): { leg: Leg; passed: number } {
    const { legs } = this;
    const distance = (place * this.length) / (this.places - 1);
    let low = 0;
    for (let high = legs.length - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if (distance > legs[middle]!.start + legs[middle]!.length) low = middle + 1;
      else high = middle;
    }
    const leg = legs[low]!;
    return { leg, passed: Math.min(leg.length, distance - leg.start) };
  }
}

/** Limits a place to its leg: by rounding, the end of one at the last pixel would lie outside of the plane. */
function between(a: number, b: number, place: number): number {
  return Math.min(Math.max(a, b), Math.max(Math.min(a, b), place));
}

function toLegs(points: readonly Vertex[]): Leg[] {
  const legs: Leg[] = [];
  let start = 0;
  for (let i = 1; i < points.length; i++) {
    const from = points[i - 1]!;
    const to = points[i]!;
    const dRow = to[0] - from[0];
    const dColumn = to[1] - from[1];
    const length = Math.hypot(dRow, dColumn);
    if (length === 0) continue;
    legs.push({ from, to, dRow, dColumn, length, start });
    start += length;
  }
  return legs;
}

/** Reads single samples; `NaN` outside the plane. */
export type ReadSample = (row: number, column: number) => number;

/** Returns the mean of `width` samples a pixel apart across a line, of those inside the plane; `NaN` without one. */
export function acrossMean(read: ReadSample, { row, column, down, right }: LinePlace, width: number): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < width; i++) {
    const offset = i - (width - 1) / 2;
    const value = interpolate(read, row + offset * right, column - offset * down);
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  return sum / count;
}

/** Interpolates between the four pixels around a place. */
function interpolate(read: ReadSample, row: number, column: number): number {
  const top = Math.floor(row);
  const left = Math.floor(column);
  const down = row - top;
  const right = column - left;
  // A place on the last row or column has no pixel beyond it, and needs none.
  const mix = (r: number) => (right === 0 ? read(r, left) : (1 - right) * read(r, left) + right * read(r, left + 1));
  const value = down === 0 ? mix(top) : (1 - down) * mix(top) + down * mix(top + 1);
  return Number.isFinite(value) ? value : Number.NaN;
}
