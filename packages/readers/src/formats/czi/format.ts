import type { Format } from '../../model/acquisition.js';
import { MAGIC, sniff } from './magic.js';

/** Zeiss CZI (ZISRAW): ZEN, LSM 7xx to 9xx, Airyscan, Lightsheet, Axioscan. */
export const cziFormat: Format = {
  id: 'czi',
  label: 'Zeiss CZI',
  group: 'Zeiss',
  extensions: ['.czi'],
  pages: ['czi'],
  fileTypes: [
    { name: 'Zeiss CZI acquisition', mime: 'image/x-zeiss-czi', extensions: ['.czi'], signature: { 0: MAGIC } },
  ],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
