import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** Zeiss LSM: LSM 510, 5 Live and 700 to 880, written by AIM and ZEN black. */
export const lsmFormat: Format = {
  id: 'lsm',
  label: 'Zeiss LSM',
  group: 'Zeiss',
  extensions: ['.lsm'],
  pages: ['lsm'],
  fileTypes: [{ name: 'Zeiss LSM acquisition', mime: 'image/x-zeiss-lsm', extensions: ['.lsm'], kindOf: 'image/tiff' }],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
