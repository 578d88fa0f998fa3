import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

export const lifFormat: Format = {
  id: 'lif',
  label: 'Leica LIF/LOF/XLEF',
  extensions: ['.lif', '.lof', '.xlef', '.xlif', '.xlcf'],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
