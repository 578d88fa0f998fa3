import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { type MrcSpec, writeMrc } from '../writers/mrc.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const samples = Array.from({ length: 60 }, (_, i) => 1000 + 7 * i);
const SPEC: MrcSpec = { type: 'uint16', size: [5, 4, 3], samples, cell: [10, 8, 30], labels: ['Made by a test'] };
const write = (spec: Partial<MrcSpec>) => (at: string) => {
  const path = join(at, 'demo.mrc');
  writeFileSync(path, writeMrc({ ...SPEC, ...spec }));
  return path;
};
const scene = (sizes: object, sampleType = 'uint16') => ({
  sizes: { T: 1, Z: 3, Y: 4, X: 5, ...sizes },
  channels: ['CH1'],
  sampleType,
});

conformanceSuite(
  'MRC',
  [
    { name: 'a volume', format: 'mrc', write: write({}), scenes: [scene({})] },
    {
      name: 'big-endian frames',
      format: 'mrc',
      write: write({ type: 'float32', bigEndian: true, spaceGroup: 0, intervals: [5, 4, 1] }),
      scenes: [scene({ T: 3, Z: 1 }, 'float32')],
    },
    { name: 'an extended header', format: 'mrc', write: write({ extended: new Uint8Array(80) }), scenes: [scene({})] },
  ],
  () => mkdtempSync(join(root, 'mrc-')),
);
