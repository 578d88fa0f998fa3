import type { Format } from '../../model/acquisition.js';
import { home, MAGIC, sniff } from './magic.js';

export const oirFormat: Format = {
  id: 'oir',
  label: 'Olympus OIR',
  group: 'Olympus / Evident',
  extensions: ['.oir', '.poir', '.mpoir'],
  pages: ['oir'],
  fileTypes: [
    { name: 'Olympus OIR acquisition', mime: 'image/x-olympus-oir', extensions: ['.oir'], signature: { 0: MAGIC } },
  ],
  container: 'zip',
  sniff,
  home,
  load: async () => (await import('./index.js')).reader,
};
