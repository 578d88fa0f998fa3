import type { Format } from '../../model/acquisition.js';
import { home, openInstead, sniff } from './magic.js';

export const brukerFormat: Format = {
  id: 'bruker',
  label: 'Bruker Prairie View',
  group: 'Bruker Prairie View',
  extensions: ['.xml'],
  pages: ['bruker'],
  opensFolders: true,
  sniff,
  home,
  openInstead,
  load: async () => (await import('./index.js')).reader,
};
