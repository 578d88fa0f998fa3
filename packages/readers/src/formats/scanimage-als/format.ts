import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** Arbitrary line scans of ScanImage: samples in `.pmt.dat`, header in `.meta.txt`. Either file opens the pair. */
export const scanimageAlsFormat: Format = {
  id: 'scanimage-als',
  label: 'ScanImage arbitrary line scan',
  group: 'ScanImage',
  extensions: ['.pmt.dat', '.meta.txt'],
  pages: ['scanimage'],
  sniff,
  load: async () => (await import('./index.js')).reader,
};
