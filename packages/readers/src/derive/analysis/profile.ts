import type { PlaneData, PlaneSegment } from '../../model/samples/plane-data.js';
import { SLICE_SAMPLES } from './slices.js';

/** Samples that computations pass in order in the time that it takes to interpolate one. */
const COST = 16;

/** A vertex in pixels, at the center of the pixel for whole numbers. */
export type Vertex = readonly [row: number, column: number];

/** Samples along a polyline, evenly spaced from its first to its last vertex. All arrays have one length. */
export interface Profile {
  /** Length of the polyline, and distance of neighboring samples along it, in pixels. */
  length: number;
  spacing: number;
  /** Where each sample lies. */
  rows: Float64Array<ArrayBuffer>;
  columns: Float64Array<ArrayBuffer>;
  /** `NaN` outside the centers of the outermost pixels, and where a sample is not finite. */
  values: Float64Array<ArrayBuffer>;
}

/** A piece of the polyline between two vertices, in pixels. */
interface Leg {
  from: Vertex;
  to: Vertex;
  dRow: number;
  dColumn: number;
  length: number;
  /** Distance from the first vertex of the polyline. */
  start: number;
}

/** Returns the length of a polyline in pixels. */
export function lengthOf(points: readonly Vertex[]): number {
  return toLegs(points).reduce((sum, { length }) => sum + length, 0);
}

/** Returns the number of places of a profile of this length. */
export function placesAlong(length: number): number {
  return Math.max(1, Math.ceil(length)) + 1;
}

/**
 * Reads samples along a polyline by bilinear interpolation between pixel centers.
 * @param points two or more, not all at one place
 * @param width at each place, the mean of so many samples at a distance of 1 across the polyline, of those inside the plane
 */
export function* profile(data: PlaneData, points: readonly Vertex[], width: number): Generator<void, Profile> {
  const legs = toLegs(points);
  const length = lengthOf(points);
  const steps = placesAlong(length) - 1;
  const list = () => new Float64Array(steps + 1);
  const result: Profile = { length, spacing: length / steps, rows: list(), columns: list(), values: list() };
  const read = sampleReader(data);
  let at = 0;
  let cost = 0;
  for (let i = 0; i <= steps; i++) {
    const distance = (i * length) / steps;
    while (at < legs.length - 1 && distance > legs[at]!.start + legs[at]!.length) at++;
    const leg = legs[at]!;
    const passed = Math.min(leg.length, distance - leg.start);
    // In this order, places along a row or column stay at the centers of its pixels.
    const row = between(leg.from[0], leg.to[0], leg.from[0] + (passed * leg.dRow) / leg.length);
    const column = between(leg.from[1], leg.to[1], leg.from[1] + (passed * leg.dColumn) / leg.length);
    result.rows[i] = row;
    result.columns[i] = column;
    result.values[i] = acrossMean(read, [row, column], leg, width);
    cost += COST * width;
    if (cost < SLICE_SAMPLES) continue;
    cost = 0;
    yield;
  }
  return result;
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

type SampleReader = (row: number, column: number) => number;

function acrossMean(read: SampleReader, [row, column]: Vertex, { dRow, dColumn, length }: Leg, width: number): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < width; i++) {
    const offset = i - (width - 1) / 2;
    const value = interpolate(read, row + (offset * dColumn) / length, column - (offset * dRow) / length);
    if (Number.isNaN(value)) continue;
    sum += value;
    count++;
  }
  return sum / count;
}

/** Interpolates between the four pixels around a place. */
function interpolate(read: SampleReader, row: number, column: number): number {
  const top = Math.floor(row);
  const left = Math.floor(column);
  const down = row - top;
  const right = column - left;
  // A place on the last row or column has no pixel beyond it, and needs none.
  const mix = (r: number) => (right === 0 ? read(r, left) : (1 - right) * read(r, left) + right * read(r, left + 1));
  const value = down === 0 ? mix(top) : (1 - down) * mix(top) + down * mix(top + 1);
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Returns a function that reads single samples; `NaN` outside the plane. */
function sampleReader({ rows, columns, segments }: PlaneData): SampleReader {
  let segment: PlaneSegment = segments[0]!;
  return (row, column) => {
    if (row < 0 || column < 0 || row >= rows || column >= columns) return Number.NaN;
    if (row < segment.firstRow || row >= segment.firstRow + segment.rowCount) {
      segment = segments.find(({ firstRow, rowCount }) => row >= firstRow && row < firstRow + rowCount)!;
    }
    return segment.samples[(row - segment.firstRow) * columns + column]!;
  };
}
