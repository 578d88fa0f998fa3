import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '../support/temp.js';
import { type DeltaVisionSpec, writeDeltaVision } from '../writers/deltavision.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const samples = Array.from({ length: 240 }, (_, i) => 1000 + 7 * i);
const sections = Array.from({ length: 12 }, (_, i) => ({ time: i / 2, z: i }));
const SPEC: DeltaVisionSpec = {
  type: 'uint16',
  size: [5, 4, 12],
  samples,
  cell: [0.1, 0.1, 0.3],
  titles: ['Made by a test'],
};
const write = (spec: Partial<DeltaVisionSpec>) => (at: string) => {
  const path = join(at, 'demo.dv');
  writeFileSync(path, writeDeltaVision({ ...SPEC, ...spec }));
  return path;
};
const scene = (sizes: object, channels = ['CH1'], sampleType = 'uint16') => ({
  sizes: { T: 1, Z: 12, Y: 4, X: 5, ...sizes },
  channels,
  sampleType,
});
const stack = { waves: 2, times: 2, sequence: 2, wavelengths: [525, 632] };
const both = scene({ T: 2, Z: 3 }, ['525 nm', '632 nm']);

conformanceSuite(
  'DeltaVision',
  [
    { name: 'a stack', format: 'dv', write: write({}), scenes: [scene({})] },
    { name: 'two waves over time', format: 'dv', write: write({ ...stack, sections }), scenes: [both] },
    {
      name: 'big-endian floats',
      format: 'dv',
      write: write({ type: 'float32', bigEndian: true, times: 12 }),
      scenes: [scene({ T: 12, Z: 1 }, ['CH1'], 'float32')],
    },
    {
      name: 'panels',
      format: 'dv',
      write: write({ newer: { panels: 2 }, sequence: 5 }),
      scenes: [scene({ Z: 6 }), scene({ Z: 6 })],
    },
  ],
  () => mkdtempSync(join(root, 'dv-')),
);
