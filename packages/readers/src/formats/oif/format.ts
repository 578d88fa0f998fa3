import type { Format } from '../../model/acquisition.js';
import { home, homeOfFolder, openInstead, sniff } from './magic.js';

export const oifFormat: Format = {
  id: 'oif',
  label: 'Olympus FluoView OIF/OIB',
  group: 'Olympus / Evident',
  extensions: ['.oib', '.oif'],
  pages: ['oif'],
  fileTypes: [
    {
      name: 'Olympus FluoView acquisition',
      mime: 'image/x-olympus-oib',
      extensions: ['.oib'],
      kindOf: 'application/x-ole-storage',
    },
  ],
  container: 'ole',
  sniff,
  home,
  homeOfFolder,
  openInstead,
  load: async () => (await import('./index.js')).reader,
};
