/** Samples along a line, by the rule of the server: bilinear between the centers of pixels, at most a pixel apart. */
import type { PlanePoint, Shape } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import { createSlices, type SliceOptions } from './slices.ts';

/** Max samples that are interpolated, as for a profile by the server. */
export const MAX_PROFILE_SAMPLES = 1_048_576;

/** A piece of a path between two points, in samples. */
interface Leg {
  readonly from: PlanePoint;
  readonly to: PlanePoint;
  readonly down: number;
  readonly right: number;
  readonly length: number;
  /** Distance from the first point of the path. */
  readonly start: number;
}

/** Places along a path, evenly spaced in samples from its first to its last point. */
export interface PathPlaces {
  readonly count: number;
  /** Returns where a place lies, and the direction of the path there. */
  at(place: number): PlanePoint & { readonly down: number; readonly right: number };
  /** Returns the distance of each place from the first point along the path, for samples of a height and width. */
  distances(height: number, width: number): Float64Array;
}

/** Returns the places of a profile; null for a path without length. */
export function placesAlong(points: readonly PlanePoint[]): PathPlaces | null {
  const legs = toLegs(points);
  const last = legs.at(-1);
  if (last === undefined) return null;
  const length = last.start + last.length;
  const steps = Math.max(1, Math.ceil(length));
  const find = (place: number) => {
    const distance = (place * length) / steps;
    let low = 0;
    for (let high = legs.length - 1; low < high; ) {
      const middle = (low + high) >> 1;
      if (distance > legs[middle]!.start + legs[middle]!.length) low = middle + 1;
      else high = middle;
    }
    return { at: low, passed: Math.min(legs[low]!.length, distance - legs[low]!.start) };
  };
  return {
    count: steps + 1,
    at(place) {
      const { at, passed } = find(place);
      const leg = legs[at]!;
      // In this order, places along a row or column stay at the centers of its pixels.
      const row = between(leg.from.row, leg.to.row, leg.from.row + (passed * leg.down) / leg.length);
      const column = between(leg.from.column, leg.to.column, leg.from.column + (passed * leg.right) / leg.length);
      return { row, column, down: leg.down / leg.length, right: leg.right / leg.length };
    },
    distances(height, width) {
      const lengths = legs.map(({ down, right }) => Math.hypot(down * height, right * width));
      const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((sum, one) => sum + one, 0));
      return Float64Array.from({ length: steps + 1 }, (_, place) => {
        const { at, passed } = find(place);
        return starts[at]! + (passed / legs[at]!.length) * lengths[at]!;
      });
    },
  };
}

/** Limits a place to its leg: by rounding, the end of one at the last pixel would lie outside of the plane. */
function between(a: number, b: number, place: number): number {
  return Math.min(Math.max(a, b), Math.max(Math.min(a, b), place));
}

function toLegs(points: readonly PlanePoint[]): Leg[] {
  const legs: Leg[] = [];
  let start = 0;
  for (let i = 1; i < points.length; i++) {
    const [from, to] = [points[i - 1]!, points[i]!];
    const [down, right] = [to.row - from.row, to.column - from.column];
    const length = Math.hypot(down, right);
    if (length === 0) continue;
    legs.push({ from, to, down, right, length, start });
    start += length;
  }
  return legs;
}

/** Returns the mean across the path at each place: of `width` samples a pixel apart, those inside the plane; else NaN. */
export async function lineProfile(
  data: Samples,
  shape: Shape,
  places: PathPlaces,
  width: number,
  options: SliceOptions = {},
): Promise<Float64Array> {
  const values = new Float64Array(places.count);
  const blockLength = Math.max(1, Math.floor(2048 / width));
  await createSlices({ ...options, blockLength }).each(places.count, (first, end) => {
    for (let place = first; place < end; place++) values[place] = acrossMean(data, shape, places.at(place), width);
  });
  return values;
}

/** Returns the mean of `width` samples across a path at a place; NaN without one inside the plane. */
export function acrossMean(data: Samples, shape: Shape, at: ReturnType<PathPlaces['at']>, width: number): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < width; i++) {
    const offset = i - (width - 1) / 2;
    const value = interpolate(data, shape, at.row - 0.5 + offset * at.right, at.column - 0.5 - offset * at.down);
    if (!Number.isFinite(value)) continue;
    sum += value;
    count += 1;
  }
  return sum / count;
}

/** Interpolates between centers of pixels, which have whole numbers here; NaN outside the outermost ones. */
function interpolate(data: Samples, [rows, columns]: Shape, row: number, column: number): number {
  if (!(row >= 0 && column >= 0 && row <= rows - 1 && column <= columns - 1)) return Number.NaN;
  const [top, left] = [Math.floor(row), Math.floor(column)];
  const [down, right] = [row - top, column - left];
  const at = (r: number, c: number) => data[r * columns + c]!;
  // A place on a row or column of centers needs none beyond it.
  const mix = (r: number) => (right === 0 ? at(r, left) : (1 - right) * at(r, left) + right * at(r, left + 1));
  return down === 0 ? mix(top) : (1 - down) * mix(top) + down * mix(top + 1);
}
