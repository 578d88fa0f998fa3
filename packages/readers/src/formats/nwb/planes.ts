/** The planes of a scene: of one array, of several arrays of one channel each, or of TIFF files beside the NWB file. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { planeTooLarge } from '../../base/plane-size.js';
import { grouped } from '../../base/wording.js';
import type { Dataset } from '../../hdf5/dataset.js';
import type { PlaneAddress, SceneInfo } from '../../model/acquisition.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { pageScratch } from '../../tiff/scratch.js';
import type { ExternalFrames } from './external.js';
import type { NwbLayout } from './layout.js';

export interface NwbPlanes {
  /** Bands that a plane is best decoded in; `undefined` when it is read without decoding. */
  bands: number | undefined;
  /** Bytes that reading a plane takes beside its target. */
  scratchBytes: number;
  /** Names of the files beside the NWB file that contain the frames. */
  files: readonly string[];
  /** @throws AcqError `decode_failed`, `unsupported_format` */
  read(at: Omit<PlaneAddress, 'scene'>, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
}

/** Planes of an array with the given axes. */
export function arrayPlanes(
  dataset: Dataset,
  { x, y, t, z, c }: Pick<NwbLayout, 'x' | 'y' | 't' | 'z' | 'c'>,
): NwbPlanes {
  return {
    bands: countBands(dataset, y),
    scratchBytes: dataset.scratchBytes,
    files: [],
    read: (at, target, signal) => {
      const index = dataset.shape.map((_, axis) =>
        axis === t ? at.t : axis === z ? at.z : axis === c ? at.channel : 0,
      );
      return dataset.readPlane({ row: y, column: x, at: index }, target, signal);
    },
  };
}

/** Planes of one array per channel, each with x and y as its dimensions. */
export function channelPlanes(datasets: readonly Dataset[]): NwbPlanes {
  return {
    bands: datasets[0] && countBands(datasets[0], 1),
    scratchBytes: Math.max(...datasets.map((dataset) => dataset.scratchBytes)),
    files: [],
    read: async ({ channel }, target, signal) => {
      await datasets[channel]?.readPlane({ row: 1, column: 0, at: [0, 0] }, target, signal);
    },
  };
}

/** Planes of frames in TIFF files. */
export function externalPlanes(frames: ExternalFrames): NwbPlanes {
  return {
    bands: undefined,
    scratchBytes: pageScratch(frames.layout),
    files: frames.sources,
    read: ({ t, channel }, target, signal) => frames.read(t, channel, target, signal),
  };
}

function countBands(dataset: Dataset, row: number): number | undefined {
  const rows = dataset.bandRows(row);
  return rows === undefined ? undefined : Math.ceil(dataset.shape[row]! / rows);
}

/** @throws AcqError `plane_too_large`, `decode_failed` */
export function checkSizes({ T, Z, ...sides }: SceneInfo['sizes']): void {
  const tooLarge = planeTooLarge(sides);
  if (tooLarge) throw tooLarge;
  if (T * Z > LIMITS.planes)
    throw decodeFailed(`the data have ${grouped(T * Z)} planes; the limit is ${grouped(LIMITS.planes)}`);
}
