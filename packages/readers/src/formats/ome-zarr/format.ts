import type { Format } from '../../model/acquisition.js';
import { EXTENSIONS, home, sniff } from './magic.js';

export const omeZarrFormat: Format = {
  id: 'ome-zarr',
  label: 'OME-Zarr',
  group: 'OME-Zarr',
  extensions: EXTENSIONS,
  pages: ['ome-zarr'],
  opensFolders: true,
  container: 'zip',
  sniff,
  home,
  load: async () => (await import('./index.js')).reader,
};
