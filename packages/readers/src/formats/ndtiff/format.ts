import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** NDTiff 2 and 3 of Micro-Manager 2 and Pycro-Manager: TIFF files with an index. The folder or any of them opens the set. */
export const ndtiffFormat: Format = {
  id: 'ndtiff',
  label: 'NDTiff (Micro-Manager 2, Pycro-Manager)',
  group: 'Micro-Manager',
  extensions: ['.tif', '.index'],
  pages: ['ndtiff'],
  opensFolders: true,
  sniff,
  load: async () => (await import('./index.js')).reader,
};
