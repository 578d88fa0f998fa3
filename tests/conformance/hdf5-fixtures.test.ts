import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { type H5Group, writeHdf5 } from '../writers/hdf5.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const write =
  (members: NonNullable<H5Group['members']>, kind: 'old' | 'new' = 'old') =>
  (at: string) => {
    const path = join(at, 'demo.h5');
    writeFileSync(path, writeHdf5({ members }, { kind }));
    return path;
  };
const array = (shape: number[], start = 0) => ({
  data: Uint16Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => start + i),
  shape,
});
const tags = { axistags: { vlen: JSON.stringify({ axes: [...'tyxc'].map((key) => ({ key })) }) } };
const scene = (sizes: object, channels = ['CH1']) => ({
  sizes: { T: 1, Z: 1, Y: 16, X: 20, ...sizes },
  channels,
  sampleType: 'uint16',
});

conformanceSuite(
  'HDF5 arrays',
  [
    {
      name: 'pages and a picture',
      format: 'h5',
      write: write({ data: array([2, 16, 20]), mean: array([16, 20], 5000) }),
      scenes: [scene({ Z: 2 }), scene({})],
      refusesCuts: true,
    },
    {
      name: 'axes of ilastik in chunks, new metadata',
      format: 'h5',
      write: write({ data: { ...array([2, 4, 5, 2]), attrs: tags, chunks: [1, 4, 5, 2], filters: ['gzip'] } }, 'new'),
      scenes: [scene({ T: 2, Y: 4, X: 5 }, ['CH1', 'CH2'])],
      refusesCuts: true,
    },
  ],
  () => mkdtempSync(join(root, 'hdf5-')),
);
