import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** TIFF of every flavor, and the companion file with the metadata of an OME-TIFF set. */
export const tiffFormat: Format = {
  id: 'tiff',
  label: 'TIFF (plain, OME, ImageJ, Olympus, ScanImage, MetaMorph, Micro-Manager)',
  group: 'TIFF and OME',
  extensions: [
    '.tif',
    '.tiff',
    '.ome.tif',
    '.ome.tiff',
    '.ome.tf2',
    '.ome.tf8',
    '.ome.btf',
    '.tf2',
    '.tf8',
    '.btf',
    '.stk',
    '.companion.ome',
    '.ome',
  ],
  pages: ['tiff', 'fluoview', 'metamorph-stk', 'olympus-kymograph', 'ome-line-scans', 'scanimage'],
  fileTypes: [
    { name: 'TIFF image', mime: 'image/tiff', extensions: ['.tif', '.tiff', '.btf'] },
    {
      name: 'OME-TIFF acquisition',
      mime: 'image/x-ome-tiff',
      extensions: ['.ome.tif', '.ome.tiff', '.ome.btf'],
      kindOf: 'image/tiff',
    },
  ],
  container: 'ome-xml',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
