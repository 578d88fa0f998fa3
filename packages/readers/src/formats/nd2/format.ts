import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

export const nd2Format: Format = {
  id: 'nd2',
  label: 'Nikon ND2',
  group: 'Nikon',
  extensions: ['.nd2'],
  pages: ['nd2'],
  fileTypes: [
    {
      name: 'Nikon ND2 acquisition',
      mime: 'image/x-nikon-nd2',
      extensions: ['.nd2'],
      signature: { 0: '\xda\xce\xbe\x0a' },
    },
  ],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
