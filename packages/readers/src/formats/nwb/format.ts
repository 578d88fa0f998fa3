import type { Format } from '../../model/acquisition.js';
import { EXTENSIONS, sniff } from './magic.js';

export const nwbFormat: Format = {
  id: 'nwb',
  label: 'NWB 2',
  group: 'NWB and HDF5',
  extensions: EXTENSIONS,
  pages: ['nwb'],
  fileTypes: [
    {
      name: 'Neurodata Without Borders recording',
      mime: 'application/x-nwb',
      extensions: ['.nwb'],
      kindOf: 'application/x-hdf5',
    },
  ],
  container: 'hdf5',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
