import type { Format } from '../../model/acquisition.js';
import { sniff } from './magic.js';

/** TIFF of every flavor, and the companion file with the metadata of an OME-TIFF set. */
export const tiffFormat: Format = {
  id: 'tiff',
  label: 'TIFF (plain, OME, ImageJ, Olympus, ScanImage, MetaMorph, Micro-Manager)',
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
  container: 'ome-xml',
  sniff,
  load: async () => (await import('./index.js')).reader,
};
