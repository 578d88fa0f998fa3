import type { Format } from '../../acquisition.js';
import { sniff } from './magic.js';

export const cziFormat: Format = {
  id: 'czi',
  label: 'Zeiss CZI',
  extensions: ['.czi'],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
