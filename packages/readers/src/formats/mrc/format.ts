import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** Volumes and stacks of electron microscopy: MRC2014, and CCP4 maps, which have the same header. */
export const mrcFormat: Format = {
  id: 'mrc',
  label: 'MRC and CCP4',
  group: 'MRC and CCP4',
  extensions: ['.mrc', '.map', '.rec'],
  pages: ['mrc'],
  fileTypes: [{ name: 'MRC volume', mime: 'image/x-mrc', extensions: ['.mrc'] }],
  microscope: 'electron',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
