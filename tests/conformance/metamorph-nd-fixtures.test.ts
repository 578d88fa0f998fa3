import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder, writeTemp } from '../support/temp.js';
import { type NdSpec, ndSet } from '../writers/metamorph-nd.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const write = (spec: NdSpec) => (folder: string) => {
  for (const [name, bytes] of Object.entries(ndSet(spec))) writeTemp(folder, name, bytes);
  return join(folder, `${spec.stem}.nd`);
};
const scene = (sizes: object, channels: string[]) => ({
  sizes: { T: 1, Z: 1, Y: 4, X: 5, ...sizes },
  channels,
  sampleType: 'uint16',
});
const waves = ['DAPI', 'GFP'];
const whole = scene({ T: 2, Z: 3 }, waves);

conformanceSuite(
  'MetaMorph ND',
  [
    {
      name: 'channels at positions over time',
      format: 'nd',
      write: write({ stem: 'a', waves, stages: ['left', 'right'], times: 2, sections: 3 }),
      scenes: [whole, whole],
    },
    {
      name: 'version 2 without channels',
      format: 'nd',
      write: write({ stem: 'a', times: 3, version: '2.0' }),
      scenes: [scene({ T: 3 }, ['CH1'])],
    },
  ],
  () => mkdtempSync(join(root, 'nd-')),
);
