import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** Two-photon microscopes of Femtonics, with MESc. */
export const mescFormat: Format = {
  id: 'mesc',
  label: 'Femtonics MESc',
  group: 'Femtonics',
  extensions: ['.mesc'],
  pages: ['mesc'],
  fileTypes: [
    {
      name: 'Femtonics MESc recording',
      mime: 'image/x-femtonics-mesc',
      extensions: ['.mesc'],
      kindOf: 'application/x-hdf5',
    },
  ],
  container: 'hdf5',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
