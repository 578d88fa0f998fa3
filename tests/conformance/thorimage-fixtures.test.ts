import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { writeThor, writeThorRaw } from '../writers/thorimage.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const write = (files: Record<string, Uint8Array | string>, name: string) => (at: string) => {
  for (const [file, content] of Object.entries(files)) writeFileSync(join(at, file), content);
  return join(at, name);
};
const scene = (sizes: object, channels: string[]) => ({
  sizes: { T: 1, Z: 1, Y: 3, X: 4, ...sizes },
  channels,
  sampleType: 'uint16',
});
const LINES = { LSM: 'areaMode="2" channel="5" pixelX="4" pixelY="3" pixelSizeUM="0.5" frameRate="30"' };

conformanceSuite(
  'ThorImage',
  [
    {
      name: 'a raw file by its settings',
      format: 'xml',
      write: write(writeThorRaw({ T: 3, Z: 2, flyback: 1 }), 'Experiment.xml'),
      scenes: [scene({ T: 3, Z: 2 }, ['ChanA', 'ChanC'])],
    },
    {
      name: 'a raw file of all detectors',
      format: 'xml',
      write: write(writeThorRaw({ T: 3, stored: 'all', channels: 'BD' }), 'Image_001_001.raw'),
      scenes: [scene({ T: 3 }, ['ChanB', 'ChanD'])],
    },
    {
      name: 'a line scan of several frames',
      format: 'xml',
      write: write(writeThorRaw({ T: 4, settings: LINES }), 'Experiment.xml'),
      scenes: [scene({ Y: 12 }, ['ChanA', 'ChanC'])],
    },
    {
      name: 'a series of TIFFs',
      format: 'xml',
      write: write(writeThor({ T: 2, Z: 2 }), 'ChanA_0001_0001_0001_0001.tif'),
      scenes: [scene({ T: 2, Z: 2 }, ['ChanA', 'ChanB'])],
    },
  ],
  () => mkdtempSync(join(root, 'thor-')),
);
