import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { volume } from '../support/hdf5.js';
import { tempFolder } from '../support/temp.js';
import { type ImsSpec, writeIms } from '../writers/ims.js';
import { conformanceSuite } from './suite.js';

const SCENE = { sizes: { T: 2, Z: 3, Y: 4, X: 5 }, channels: ['Green', 'Red'], sampleType: 'uint16' };
const LINES = { sizes: { T: 1, Z: 1, Y: 3, X: 5 }, channels: ['Green', 'Red'], sampleType: 'uint16' };

const root = tempFolder();
const write = (spec: ImsSpec) => (at: string) => {
  const path = join(at, 'demo.ims');
  writeFileSync(path, writeIms(spec));
  return path;
};

conformanceSuite(
  'IMS',
  [
    { name: 'contiguous', format: 'ims', write: write(volume()), scenes: [SCENE], refusesCuts: true },
    {
      name: 'padded chunks with gzip',
      format: 'ims',
      write: write(volume({ padded: { X: 8, Y: 8, Z: 4 }, chunks: [2, 8, 8], filters: ['shuffle', 'gzip'] })),
      scenes: [SCENE],
      refusesCuts: true,
    },
    {
      name: 'LZ4, new metadata',
      format: 'ims',
      write: write(volume({ chunks: [1, 2, 5], filters: ['lz4'], kind: 'new' })),
      scenes: [SCENE],
      refusesCuts: true,
    },
    {
      name: 'a line for each time point',
      format: 'ims',
      write: write(volume({ size: { X: 5, Y: 1, Z: 1 }, timePoints: 3 })),
      scenes: [LINES],
      refusesCuts: true,
    },
  ],
  () => mkdtempSync(join(root, 'ims-')),
);
