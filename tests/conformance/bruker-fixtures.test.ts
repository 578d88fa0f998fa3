import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { lineScan, plane, planeName, SCAN, series, source } from '../support/bruker.js';
import { readNative, sceneOf } from '../support/native.js';
import { tempFolder } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { conformanceSuite } from './suite.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'set-'));
const line = { sizes: { T: 1, Z: 1, Y: 10, X: 4 }, channels: ['Ch1', 'Ch2'], sampleType: 'uint16' };
const frame = { sizes: { T: 3, Z: 2, Y: 8, X: 8 }, channels: ['Ch1', 'Ch2'], sampleType: 'uint16' };

conformanceSuite(
  'Prairie View',
  [
    {
      name: 'line scans by their XML',
      format: 'xml',
      write: (at) => writeBruker(at, lineScan(2, [1, 2])),
      scenes: [line, line],
    },
    {
      name: 'Z series over time by their XML',
      format: 'xml',
      write: (at) => writeBruker(at, series('ZSeries', 2, 3)),
      scenes: [frame],
    },
  ],
  folder,
);

it('serves 30,000 lines with the overview and the line on it', async () => {
  const long = plane(1, 1, 1, 30_000, 38);
  const spec = lineScan();
  const [sequence] = spec.sequences;
  if (!sequence) throw new Error('a sequence');
  const state = { ...SCAN, linesPerFrame: 30_000, pixelsPerLine: 38, scanLinePeriod: 0.0012 };
  const files = [{ channel: 1, file: planeName(1, 1), source: source(1, 1).file }];
  const line = sequence.line?.replace('lineLength="1"', 'lineLength="9.5"') ?? '';
  const planes = [{ ...long, value: (y: number, x: number) => (y * 7 + x * 113) % 4096 }, source(1, 1)];
  const path = writeBruker(folder(), {
    ...spec,
    sequences: [{ ...sequence, line, frames: [{ files, state }] }],
    planes,
  });
  const opened = await openAcquisition(path);
  const scene = sceneOf(opened, 0);
  expect([scene.sizes.Y, scene.steps.Y.step, scene.steps.X.step]).toEqual([30_000, 0.0012, 0.25]);
  expect(scene.warnings).toEqual([]);
  const lines = await readNative(opened, 0, { channel: 0 });
  expect(lines[29_999 * 38 + 37]).toBe((29_999 * 7 + 37 * 113) % 4096);
  opened.close();
});
