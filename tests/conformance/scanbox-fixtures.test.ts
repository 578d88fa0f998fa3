import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { type ScanboxSpec, writeScanbox } from '../writers/scanbox.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const write = (spec: ScanboxSpec) => (at: string) => {
  for (const [file, content] of Object.entries(writeScanbox(spec))) writeFileSync(join(at, file), content);
  return join(at, 'scan.sbx');
};
const scene = (sizes: object, channels: string[]) => ({
  sizes: { T: 3, Z: 1, Y: 4, X: 6, ...sizes },
  channels,
  sampleType: 'uint16',
});

conformanceSuite(
  'Scanbox',
  [
    {
      name: 'two channels',
      format: 'sbx',
      write: write({ channels: 2 }),
      scenes: [scene({}, ['GCaMP6s', 'tdTomato'])],
    },
    {
      name: 'volumes of version 2, in both directions',
      format: 'sbx',
      write: write({ version: 2, bidirectional: true, planes: 2, frames: 6, mat: { compressed: false } }),
      scenes: [scene({ Z: 2 }, ['PMT0'])],
    },
    {
      name: 'settings of MATLAB 7.3',
      format: 'sbx',
      write: write({ mat: '7.3' }),
      scenes: [scene({}, ['PMT0'])],
    },
  ],
  () => mkdtempSync(join(root, 'sbx-')),
);
