import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { type ObfStackSpec, writeObf } from '../writers/obf.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const write = (stacks: ObfStackSpec[]) => (at: string) => {
  const path = join(at, 'demo.obf');
  writeFileSync(path, writeObf({ stacks, description: 'made by a test' }));
  return path;
};
const counting = (count: number, start: number) => Uint16Array.from({ length: count }, (_, i) => start + 7 * i);
const X = { size: 5, label: 'X', length: 5e-7 };
const Y = { size: 4, label: 'Y', length: 4e-7 };
const volume: ObfStackSpec = { axes: [X, Y, { size: 3, label: 'Z', length: 1e-6 }], samples: counting(60, 100) };
const line: ObfStackSpec = { axes: [X, { size: 6, label: 'T', length: 0.01, unit: 's' }], samples: counting(30, 9000) };
const scene = (sizes: object) => ({
  sizes: { T: 1, Z: 1, Y: 4, X: 5, ...sizes },
  channels: ['CH1'],
  sampleType: 'uint16',
});

conformanceSuite(
  'OBF',
  [
    {
      name: 'a volume and a line scan',
      format: 'obf',
      write: write([volume, { ...line, name: 'line' }]),
      scenes: [scene({ Z: 3 }), scene({ Y: 6 })],
    },
    {
      name: 'packed',
      format: 'obf',
      write: write([{ ...volume, packed: true }]),
      scenes: [scene({ Z: 3 })],
    },
    {
      name: 'in pieces',
      format: 'obf',
      write: write([{ ...volume, version: 6, pieceBytes: 32 }]),
      scenes: [scene({ Z: 3 })],
      // What says where the pieces are is behind them.
      refusesCuts: true,
    },
  ],
  () => mkdtempSync(join(root, 'obf-')),
);
