import type { Format } from '../../acquisition.js';
import { sniff } from './magic.js';

export const lsmFormat: Format = {
  id: 'lsm',
  label: 'Zeiss LSM',
  extensions: ['.lsm'],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
