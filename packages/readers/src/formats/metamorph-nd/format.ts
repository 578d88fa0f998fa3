import type { Format } from '../../model/acquisition.js';
import { mastersOf, openInstead, sniff } from './magic.js';

/** Sets of MetaMorph and VisiView: a `.nd` beside the stacks and images that it describes. */
export const metamorphNdFormat: Format = {
  id: 'metamorph-nd',
  label: 'MetaMorph ND',
  group: 'MetaMorph ND',
  extensions: ['.nd'],
  pages: ['metamorph-nd'],
  fileTypes: [{ name: 'MetaMorph set', mime: 'application/x-metamorph-nd', extensions: ['.nd'] }],
  sniff,
  openInstead,
  mastersOf,
  load: async () => (await import('./index.js')).reader,
};
