import type { Format } from '../../model/acquisition.js';
import { home, homeOfFolder, openInstead, sniff } from './magic.js';

export const oifFormat: Format = {
  id: 'oif',
  label: 'Olympus FluoView OIF/OIB',
  extensions: ['.oib', '.oif'],
  sniff,
  home,
  homeOfFolder,
  openInstead,
  load: async () => (await import('./index.js')).reader,
};
