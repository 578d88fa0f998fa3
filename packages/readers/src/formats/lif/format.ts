import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

export const lifFormat: Format = {
  id: 'lif',
  label: 'Leica LIF/LOF/XLEF',
  group: 'Leica',
  extensions: ['.lif', '.lof', '.xlef', '.xlif', '.xlcf'],
  pages: ['lif'],
  fileTypes: [
    {
      name: 'Leica LIF acquisition',
      mime: 'image/x-leica-lif',
      extensions: ['.lif', '.lof'],
      signature: { 0: '\x70\0\0\0', 8: '\x2a' },
    },
  ],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
