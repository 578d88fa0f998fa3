import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

export const imsFormat: Format = {
  id: 'ims',
  label: 'Imaris IMS',
  extensions: ['.ims'],
  container: 'hdf5',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
