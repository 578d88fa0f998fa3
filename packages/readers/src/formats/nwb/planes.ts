/** The planes of a scene: of one array, of several arrays of one channel each, or of TIFF files beside the NWB file. */

import type { Dataset } from '../../hdf5/dataset.js';
import { countBands, type DatasetAxes, type DatasetPlanes, datasetPlanes } from '../../hdf5/dataset-planes.js';
import { pageScratch } from '../../tiff/scratch.js';
import type { ExternalFrames } from './external.js';

export interface NwbPlanes extends DatasetPlanes {
  /** Names of the files beside the NWB file that contain the frames. */
  files: readonly string[];
}

/** Planes of an array with the given axes. */
export function seriesPlanes(dataset: Dataset, axes: DatasetAxes): NwbPlanes {
  return { ...datasetPlanes(dataset, axes), files: [] };
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
