import type { Format } from '../../model/acquisition.js';
import { home, openInstead, sniff } from './magic.js';

/** Scanbox (Neurolabware): samples in `.sbx`, settings in the `.mat` of the same name. Either file opens the pair. */
export const scanboxFormat: Format = {
  id: 'scanbox',
  label: 'Scanbox',
  group: 'Scanbox',
  extensions: ['.sbx'],
  pages: ['scanbox'],
  sniff,
  home,
  openInstead,
  load: async () => (await import('./index.js')).reader,
};
