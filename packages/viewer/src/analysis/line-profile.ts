/** Samples along a line, as the server computes them. */
import {
  acrossMean,
  type LinePlace,
  Polyline,
  type ReadSample,
} from '@acquisition-store/readers/derive/analysis/polyline.js';
import type { PlanePoint, Shape } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import { createSlices, type SliceOptions } from './slices.ts';

/** Max samples that are interpolated, as for a profile by the server. */
export const MAX_PROFILE_SAMPLES = 1_048_576;

/** Returns the line through points of the image, of which whole numbers are corners; null for one without length. */
export function lineThrough(points: readonly PlanePoint[]): Polyline | null {
  const line = new Polyline(points.map(({ row, column }) => [row - 0.5, column - 0.5]));
  return line.length > 0 ? line : null;
}

/** Returns the mean across a line at each place: of `width` samples a pixel apart, those inside the plane; else NaN. */
export async function lineProfile(
  data: Samples,
  shape: Shape,
  line: Polyline,
  width: number,
  options: SliceOptions = {},
): Promise<Float64Array> {
  const values = new Float64Array(line.places);
  const read = sampleReader(data, shape);
  const blockLength = Math.max(1, Math.floor(2048 / width));
  await createSlices({ ...options, blockLength }).each(line.places, (first, end) => {
    for (let place = first; place < end; place++) values[place] = acrossMean(read, line.at(place), width);
  });
  return values;
}

/** Returns the mean of `width` samples across a line at a point of the image. */
export function meanAcross(data: Samples, shape: Shape, { row, column, ...direction }: LinePlace, width: number) {
  return acrossMean(sampleReader(data, shape), { row: row - 0.5, column: column - 0.5, ...direction }, width);
}

function sampleReader(data: Samples, [rows, columns]: Shape): ReadSample {
  return (row, column) =>
    row >= 0 && column >= 0 && row < rows && column < columns ? data[row * columns + column]! : Number.NaN;
}
