import type { Format } from '../../model/acquisition.js';
import { EXTENSIONS, sniff } from './magic.js';

export const nwbFormat: Format = {
  id: 'nwb',
  label: 'NWB 2',
  extensions: EXTENSIONS,
  container: 'hdf5',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
