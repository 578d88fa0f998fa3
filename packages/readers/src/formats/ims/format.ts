import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

export const imsFormat: Format = {
  id: 'ims',
  label: 'Imaris IMS',
  group: 'Imaris',
  extensions: ['.ims'],
  pages: ['ims'],
  fileTypes: [
    { name: 'Imaris acquisition', mime: 'image/x-imaris-ims', extensions: ['.ims'], kindOf: 'application/x-hdf5' },
  ],
  container: 'hdf5',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
