import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder, writeTemp } from '../support/temp.js';
import { type NdtiffSpec, writeNdtiff } from '../writers/ndtiff.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();

const images = [0, 1, 2, 3, 4, 5].map((i) => ({
  axes: { time: i >> 1, channel: i % 2 ? 'GFP' : 'DAPI' },
  ...{ width: 4, height: 3, samples: Uint16Array.from({ length: 12 }, (_, k) => 100 * i + k + 1) },
  metadata: { 'ElapsedTime-ms': 100 * (i >> 1) },
}));
const scene = { sizes: { T: 3, Z: 1, Y: 3, X: 4 }, channels: ['DAPI', 'GFP'], sampleType: 'uint16' };

const write = (spec: NdtiffSpec, name: string) => (folder: string) => {
  for (const [file, bytes] of Object.entries(writeNdtiff(spec))) writeTemp(folder, file, bytes);
  return join(folder, name);
};

conformanceSuite(
  'NDTiff',
  [
    { name: 'version 3, by its TIFF', write: write({ images }, 'a_NDTiffStack.tif'), format: 'tif', scenes: [scene] },
    {
      name: 'version 2, by its index',
      write: write({ images, version: 2 }, 'NDTiff.index'),
      format: 'tif',
      scenes: [scene],
    },
    {
      name: 'two files',
      write: write({ images: images.map((image, i) => ({ ...image, file: i < 4 ? 0 : 1 })) }, 'NDTiff.index'),
      format: 'tif',
      scenes: [scene],
    },
  ],
  () => mkdtempSync(join(root, 'suite-')),
);
