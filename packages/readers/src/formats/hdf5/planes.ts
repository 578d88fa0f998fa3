/** The planes of an array with any order of dimensions. */

import type { Dataset } from '../../hdf5/dataset.js';
import { countBands, type DatasetPlane, type DatasetPlanes } from '../../hdf5/dataset-planes.js';
import type { Axis } from './dimensions.js';

export function planesOf(dataset: Dataset, axes: readonly Axis[]): DatasetPlanes {
  const choice = { row: axes.indexOf('Y'), column: axes.indexOf('X') };
  return {
    bands: countBands(dataset, choice.row),
    scratchBytes: dataset.scratchBytes,
    read: (at, target, signal) =>
      dataset.readPlane({ ...choice, at: indexOf(dataset.shape, axes, at) }, target, signal),
  };
}

/** Returns an index for each dimension. Of several dimensions of one axis, the last one counts fastest. */
export function indexOf(shape: readonly number[], axes: readonly Axis[], { t, z, channel }: DatasetPlane): number[] {
  const rest: Partial<Record<Axis, number>> = { T: t, Z: z, C: channel };
  const index = shape.map(() => 0);
  for (let i = shape.length - 1; i >= 0; i--) {
    const axis = axes[i]!;
    const number = rest[axis] ?? 0;
    index[i] = number % shape[i]!;
    rest[axis] = Math.floor(number / shape[i]!);
  }
  return index;
}
