import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** Zeiss LSM: LSM 510, 5 Live and 700 to 880, written by AIM and ZEN black. */
export const lsmFormat: Format = {
  id: 'lsm',
  label: 'Zeiss LSM',
  extensions: ['.lsm'],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
