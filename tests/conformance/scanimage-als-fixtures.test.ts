import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder, writeTemp } from '../support/temp.js';
import { alsMeta, alsSamples } from '../writers/scanimage.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const HEADER = alsMeta({
  'hChannels.channelSave': '[1;2]',
  'hChannels.channelName': "{'Green' 'Red' 'x'}",
  'hScan2D.lineScanSamplesPerFrame': 4,
  'hScan2D.sampleRate': 2000,
  'hStackManager.framesPerSlice': 3,
});

conformanceSuite(
  'ScanImage arbitrary line scan',
  [
    {
      name: 'two channels',
      write: (folder) => {
        writeTemp(folder, 'scan.meta.txt', HEADER);
        return writeTemp(folder, 'scan.pmt.dat', alsSamples(Array.from({ length: 24 }, (_, i) => i)));
      },
      format: 'pmt.dat',
      scenes: [{ sizes: { T: 1, Z: 1, Y: 3, X: 4 }, channels: ['Green', 'Red'], sampleType: 'int16' }],
    },
  ],
  () => mkdtempSync(join(root, 'als-')),
);
