/** HDF5 files of no particular format: their arrays are the scenes. See `docs/formats/hdf5.md`. */

import { isOfNoFormat } from '../../hdf5/contents.js';
import { readersOf } from '../../hdf5/dataset-planes.js';
import { Hdf5File } from '../../hdf5/file.js';
import type { Reader } from '../../model/acquisition.js';
import { addHdf5 } from '../../model/metadata/flatten-hdf5.js';
import { hasName } from './magic.js';
import { openScenes } from './scenes.js';

export const reader: Reader = {
  claims: ({ source, probe }) => source !== undefined && hasName(probe.name) && isOfNoFormat(source),
  open: async ({ source, signal }) => {
    signal?.throwIfAborted();
    const file = new Hdf5File(source!);
    const scenes = openScenes(file);
    return {
      info: { format: 'h5', scenes: scenes.map(({ info }) => info) },
      ...readersOf(scenes),
      listMetadata: (_scene, list) => addHdf5(list, file),
    };
  },
};
