import type { Shape } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';
import { clipRegion, eachStretch, type PlaneRegion } from './region.ts';
import { createSlices, type SliceOptions } from './slices.ts';

/**
 * Direction of a profile: along a row (one value per column) or along a column (one value per row, which is time in a
 * line scan).
 */
export type Along = 'row' | 'column';

export interface Profile {
  readonly along: Along;
  /** Column or row of the first value, depending on the direction. */
  readonly first: number;
  /** Mean of the finite samples at each position; NaN where there are none. */
  readonly mean: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
}

/** Returns the samples of row or column `index`; empty outside of the plane. */
export function profileAt(data: Samples, [rows, columns]: Shape, along: Along, index: number): Samples {
  if (!(index >= 0 && index < (along === 'row' ? rows : columns))) return new Float32Array(0);
  if (along === 'row') return data.subarray(index * columns, (index + 1) * columns);
  const profile = new Float32Array(rows);
  for (let row = 0; row < rows; row++) profile[row] = data[row * columns + index]!;
  return profile;
}

/**
 * Returns mean, min and max of a region at each position along one axis. Non-finite samples are ignored. Works in
 * slices; rejects with the reason of an aborted signal.
 */
export async function profileOver(
  data: Samples,
  shape: Shape,
  region: PlaneRegion,
  along: Along,
  options: SliceOptions = {},
): Promise<Profile> {
  const part = clipRegion(region, shape);
  const [first, end] = along === 'row' ? part.columns : part.rows;
  const length = end - first;
  const counts = new Uint32Array(length);
  const mean = new Float64Array(length);
  const min = new Float64Array(length).fill(Infinity);
  const max = new Float64Array(length).fill(-Infinity);
  const columns = shape[1];
  const gather = (from: number, to: number) => {
    const row = Math.floor(from / columns);
    const step = along === 'row' ? 1 : 0;
    let place = (along === 'row' ? from - row * columns : row) - first;
    for (let at = from; at < to; at++, place += step) {
      const value = data[at]!;
      if (value - value !== 0) continue;
      counts[place] = counts[place]! + 1;
      mean[place] = mean[place]! + value;
      if (value < min[place]!) min[place] = value;
      if (value > max[place]!) max[place] = value;
    }
  };
  await eachStretch(part, shape, createSlices(options), gather);
  for (let place = 0; place < length; place++) {
    const count = counts[place]!;
    mean[place] = mean[place]! / count;
    if (count === 0) min[place] = max[place] = Number.NaN;
  }
  return { along, first, mean, min, max };
}
