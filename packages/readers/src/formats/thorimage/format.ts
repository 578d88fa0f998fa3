import type { Format } from '../../model/acquisition.js';
import { openInstead, sniff } from './magic.js';

/** Recordings of Thorlabs microscopes: a folder with `Experiment.xml` and raw files or TIFFs. */
export const thorimageFormat: Format = {
  id: 'thorimage',
  label: 'ThorImage',
  group: 'Thorlabs ThorImage',
  extensions: ['.xml', '.raw', '.tif', '.tiff'],
  pages: ['thorimage'],
  opensFolders: true,
  // The name of a TIFF only suggests it: another program may have written it, and the settings decide.
  container: 'ome-xml',
  sniff,
  openInstead,
  load: async () => (await import('./index.js')).reader,
};
