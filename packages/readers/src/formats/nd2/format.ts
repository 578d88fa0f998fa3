import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

export const nd2Format: Format = {
  id: 'nd2',
  label: 'Nikon ND2',
  extensions: ['.nd2'],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
