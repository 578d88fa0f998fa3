import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** OME-XML that contains its pixels as text (`BinData`). */
export const omeXmlFormat: Format = {
  id: 'ome-xml',
  label: 'OME-XML with pixels',
  group: 'TIFF and OME',
  extensions: ['.ome', '.ome.xml'],
  pages: ['ome-xml'],
  container: 'ome-xml',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
