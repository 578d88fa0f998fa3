import type { Format } from '../../model/acquisition.js';
import { home, sniff } from './magic.js';

export const oirFormat: Format = {
  id: 'oir',
  label: 'Olympus OIR',
  extensions: ['.oir', '.poir', '.mpoir'],
  container: 'zip',
  sniff,
  home,
  load: async () => (await import('./index.js')).reader,
};
