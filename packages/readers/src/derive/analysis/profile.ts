import type { PlaneSegment, SourceData } from '../../model/samples/plane-data.js';
import type { SampleArray } from '../../model/samples/types.js';
import { acrossMean, Polyline, type ReadSample, type Vertex } from './polyline.js';
import { SLICE_SAMPLES } from './slices.js';

/** Samples that computations pass in order in the time that it takes to interpolate one. */
const COST = 16;

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

/**
 * Reads samples along a polyline by bilinear interpolation between pixel centers.
 * @param points two or more, not all at one place
 * @param width at each place, the mean of so many samples at a distance of 1 across the polyline, of those inside the plane
 */
export function* profile(data: SourceData, points: readonly Vertex[], width: number): Generator<void, Profile> {
  const line = new Polyline(points);
  const list = () => new Float64Array(line.places);
  const { length, spacing } = line;
  const result: Profile = { length, spacing, rows: list(), columns: list(), values: list() };
  const read = sampleReader(data);
  let cost = 0;
  for (let i = 0; i < line.places; i++) {
    const place = line.at(i);
    result.rows[i] = place.row;
    result.columns[i] = place.column;
    result.values[i] = acrossMean(read, place, width);
    cost += COST * width;
    if (cost < SLICE_SAMPLES) continue;
    cost = 0;
    yield;
  }
  return result;
}

/** Returns a function that reads single samples as float32; `NaN` outside the plane. */
function sampleReader({ rows, columns, segments }: SourceData): ReadSample {
  let segment: PlaneSegment<SampleArray> = segments[0]!;
  return (row, column) => {
    if (row < 0 || column < 0 || row >= rows || column >= columns) return Number.NaN;
    if (row < segment.firstRow || row >= segment.firstRow + segment.rowCount) {
      segment = segments.find(({ firstRow, rowCount }) => row >= firstRow && row < firstRow + rowCount)!;
    }
    return Math.fround(Number(segment.samples[(row - segment.firstRow) * columns + column]!));
  };
}
