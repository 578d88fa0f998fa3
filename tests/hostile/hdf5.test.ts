import { openBytes } from '../support/memory.js';
import { type H5Group, writeHdf5 } from '../writers/hdf5.js';
import { describeDamagedFiles } from './damaged-files.js';
import { hostileCases } from './mutate.js';

const tags = { axistags: { vlen: JSON.stringify({ axes: [...'tyxc'].map((key) => ({ key })) }) } };
const members: H5Group['members'] = {
  data: {
    data: Uint16Array.from({ length: 640 }, (_, i) => (48_271 * i) % 65_521),
    shape: [2, 16, 20],
    chunks: [1, 8, 20],
    filters: ['shuffle', 'gzip'],
  },
  deep: {
    members: {
      probabilities: { data: Float32Array.from({ length: 80 }, (_, i) => i / 7), shape: [2, 4, 5, 2], attrs: tags },
    },
  },
};
const FILES = [
  { name: 'old metadata', bytes: writeHdf5({ members }) },
  { name: 'new metadata', bytes: writeHdf5({ members }, { kind: 'new' }) },
];
const open = (bytes: Uint8Array) => openBytes('demo.h5', bytes);

describeDamagedFiles('damaged HDF5 arrays', { cases: hostileCases(9_000), files: FILES, open, blind: 0.04 });
