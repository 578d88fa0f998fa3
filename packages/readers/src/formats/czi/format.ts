import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** Zeiss CZI (ZISRAW): ZEN, LSM 7xx to 9xx, Airyscan, Lightsheet, Axioscan. */
export const cziFormat: Format = {
  id: 'czi',
  label: 'Zeiss CZI',
  extensions: ['.czi'],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
