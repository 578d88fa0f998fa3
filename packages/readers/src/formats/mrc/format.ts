import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** Volumes and stacks of electron microscopy: MRC2014, and CCP4 maps, which have the same header. */
export const mrcFormat: Format = {
  id: 'mrc',
  label: 'MRC and CCP4',
  extensions: ['.mrc', '.map', '.rec'],
  microscope: 'electron',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
