import { volume } from '../support/hdf5.js';
import { openBytes } from '../support/memory.js';
import { writeIms } from '../writers/ims.js';
import { describeDamagedFiles } from './damaged-files.js';
import { hostileCases } from './mutate.js';

const FILES = [
  { name: 'old metadata', bytes: writeIms(volume({ chunks: [1, 3, 2], filters: ['shuffle', 'gzip'] })) },
  { name: 'old metadata, LZ4', bytes: writeIms(volume({ chunks: [2, 4, 5], filters: ['lz4'] })) },
  { name: 'new metadata', bytes: writeIms(volume({ chunks: [1, 3, 2], filters: ['lzf'], kind: 'new' })) },
];

const open = (bytes: Uint8Array) => openBytes('demo.ims', bytes);

describeDamagedFiles('damaged Imaris files', { cases: hostileCases(9_000), files: FILES, open, blind: 0.03 });
