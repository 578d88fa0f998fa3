import type { Format } from '../../model/acquisition.js';
import { EXTENSIONS, sniff } from './magic.js';

/** Arrays in HDF5 files of programs and scripts: ilastik, suite2p, h5py. */
export const hdf5Format: Format = {
  id: 'hdf5',
  label: 'HDF5 arrays',
  group: 'NWB and HDF5',
  extensions: EXTENSIONS,
  pages: ['hdf5'],
  container: 'hdf5',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
