import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { type MescUnit, writeMesc } from '../writers/mesc.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const write =
  (units: Record<string, MescUnit>, kind: 'old' | 'new' = 'old') =>
  (at: string) => {
    const path = join(at, 'demo.mesc');
    writeFileSync(path, writeMesc({ units, kind }));
    return path;
  };
const MOVIE: MescUnit = {
  shape: [3, 4, 5],
  names: ['UG', 'UR'],
  methodType: 1,
  pixel: 0.5,
  third: { title: 't', unit: 'ms', scale: 16 },
};
const STACK: MescUnit = {
  shape: [3, 4, 5],
  value: (_, index) => 3000 + index,
  methodType: 2,
  pixel: 0.5,
  third: { title: 'z', unit: 'µm', scale: 2 },
};
const LINES: MescUnit = {
  shape: [1, 6, 4],
  value: (_, index) => 5000 + index,
  methodType: 6,
  cycleMs: 2.5,
  lines: { columns: [[0, 0], [1, 3]], pixelSize: 0.25 }, // biome-ignore format: one line
};
const scene = (sizes: object, channels = ['UG']) => ({
  sizes: { T: 1, Z: 1, Y: 4, X: 5, ...sizes },
  channels,
  sampleType: 'uint16',
});

conformanceSuite(
  'MESc',
  [
    {
      name: 'a time series and a stack',
      format: 'mesc',
      write: write({ 'MSession_0/MUnit_0': MOVIE, 'MSession_0/MUnit_3': STACK }),
      scenes: [scene({ T: 3 }, ['UG', 'UR']), scene({ Z: 3 })],
      refusesCuts: true,
    },
    {
      name: 'frames in chunks with gzip, new metadata',
      format: 'mesc',
      write: write({ 'MSession_0/MUnit_0': { ...MOVIE, chunks: [1, 4, 5], filters: ['shuffle', 'gzip'] } }, 'new'),
      scenes: [scene({ T: 3 }, ['UG', 'UR'])],
      refusesCuts: true,
    },
    {
      name: 'lines',
      format: 'mesc',
      write: write({ 'MSession_0/MUnit_0': LINES }),
      scenes: [scene({ Y: 6, X: 1 }), scene({ Y: 6, X: 3 })],
      refusesCuts: true,
    },
  ],
  () => mkdtempSync(join(root, 'mesc-')),
);
