import type { Format } from '../../model/acquisition.js';
import { FILE_MAGIC, openInstead, sniff } from './magic.js';

/** Imspector: microscopes of Abberior and of the MPI in Göttingen. */
export const obfFormat: Format = {
  id: 'obf',
  label: 'Imspector OBF and MSR',
  group: 'Abberior and Imspector',
  extensions: ['.obf', '.msr'],
  pages: ['obf'],
  fileTypes: [
    { name: 'Imspector image', mime: 'image/x-imspector-obf', extensions: ['.obf'], signature: { 0: FILE_MAGIC } },
  ],
  sniff,
  openInstead,
  load: async () => (await import('./index.js')).reader,
};
