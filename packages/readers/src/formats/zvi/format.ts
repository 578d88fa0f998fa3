import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** Wide-field microscopes of Zeiss, with AxioVision. */
export const zviFormat: Format = {
  id: 'zvi',
  label: 'Zeiss ZVI',
  group: 'Zeiss',
  extensions: ['.zvi'],
  pages: ['zvi'],
  fileTypes: [
    {
      name: 'Zeiss AxioVision image',
      mime: 'image/x-zeiss-zvi',
      extensions: ['.zvi'],
      kindOf: 'application/x-ole-storage',
    },
  ],
  container: 'ole',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
