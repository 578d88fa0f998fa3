/** The planes of an array whose dimensions are axes of an image. */

import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { planeTooLarge } from '../base/plane-size.js';
import { grouped } from '../base/wording.js';
import type { PlaneTarget } from '../model/samples/plane-target.js';
import type { Dataset } from './dataset.js';

/** Dimension of an array along each axis; `undefined` for an axis that it does not have. */
export interface DatasetAxes {
  x: number;
  y: number;
  t: number | undefined;
  z: number | undefined;
  c: number | undefined;
}

/** One plane. All indices are 0-based. */
export interface DatasetPlane {
  channel: number;
  t: number;
  z: number;
}

export interface DatasetPlanes {
  /** Bands that a plane is best decoded in; `undefined` when it is read without decoding. */
  bands: number | undefined;
  /** Bytes that reading a plane takes beside its target. */
  scratchBytes: number;
  /** @throws AcqError `decode_failed`, `unsupported_format` */
  read(at: DatasetPlane, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
}

/** What an acquisition needs to read the planes of its scenes. */
export interface SceneReaders {
  bands(scene: number): number;
  scratchBytes(scene: number): number;
  /** @throws AcqError of the planes */
  readPlane(at: DatasetPlane & { scene: number }, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
}

/** Returns the readers of scenes. */
export function readersOf(scenes: readonly { planes: DatasetPlanes }[]): SceneReaders {
  const planesAt = (index: number): DatasetPlanes => {
    const scene = scenes[index];
    if (!scene) throw decodeFailed(`scene ${index} is missing`);
    return scene.planes;
  };
  return {
    bands: (index) => planesAt(index).bands ?? 1,
    scratchBytes: (index) => planesAt(index).scratchBytes,
    async readPlane({ scene, ...at }, target, signal) {
      signal?.throwIfAborted();
      await planesAt(scene).read(at, target, signal);
    },
  };
}

/** Planes of an array with the given axes. */
export function datasetPlanes(dataset: Dataset, { x, y, t, z, c }: DatasetAxes): DatasetPlanes {
  return {
    bands: countBands(dataset, y),
    scratchBytes: dataset.scratchBytes,
    read: (at, target, signal) => {
      const index = dataset.shape.map((_, axis) =>
        axis === t ? at.t : axis === z ? at.z : axis === c ? at.channel : 0,
      );
      return dataset.readPlane({ row: y, column: x, at: index }, target, signal);
    },
  };
}

/** Returns how many bands of rows are decoded one by one; `undefined` without decoding. */
export function countBands(dataset: Dataset, row: number): number | undefined {
  const rows = dataset.bandRows(row);
  return rows === undefined ? undefined : Math.ceil(dataset.shape[row]! / rows);
}

/** @throws AcqError `plane_too_large`, `decode_failed` */
export function checkSizes({ T, Z, ...sides }: { T: number; Z: number; Y: number; X: number }): void {
  const tooLarge = planeTooLarge(sides);
  if (tooLarge) throw tooLarge;
  if (T * Z > LIMITS.planes)
    throw decodeFailed(`the data have ${grouped(T * Z)} planes; the limit is ${grouped(LIMITS.planes)}`);
}
