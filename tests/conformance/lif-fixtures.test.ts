import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { FIELD, filled, lineVector, overview, seriesVector, stampsEvery } from '../support/lif.js';
import { readNative, sceneOf } from '../support/native.js';
import { tempFolder } from '../support/temp.js';
import { type LifImageSpec, type LifSpec, writeLif, writeLof } from '../writers/lif.js';
import { conformanceSuite } from './suite.js';

/** 30,000 lines of 38 pixels at 400 lines per second, with two channels of 12 bits one after the other. */
function longLineScan(): LifImageSpec {
  const channels = [
    { bytesInc: 0, resolution: 12, lut: 'Green' },
    { bytesInc: 30_000 * 76, resolution: 12, lut: 'Red' },
  ];
  const dimensions = [
    { id: 1, count: 38, length: '1.0796e-5', bytesInc: 2 },
    { id: 4, count: 30_000, length: '7.499750e+001', unit: 's', bytesInc: 76 },
  ];
  const value = (c: number, at: Record<number, number>) => ((at[4] ?? 0) * 7 + (at[1] ?? 0) * 113 + 1000 * c) % 4096;
  const data = filled(2 * 30_000 * 76, 2, channels, dimensions, value);
  const settings = { ScanMode: 'xt', LineTime: '0.0025', ...FIELD };
  return { name: 'Series003', channels, dimensions, data, settings, stamps: stampsEvery(1, 2, 1) };
}

const SERIES = { sizes: { T: 2, Z: 3, Y: 4, X: 5 }, channels: ['Green', 'Red'], sampleType: 'uint8' };
const LINE = { sizes: { T: 1, Z: 1, Y: 3, X: 4 }, channels: ['Green', 'Red'], sampleType: 'uint16' };
const FRAME = { sizes: { T: 1, Z: 1, Y: 7, X: 9 }, channels: ['Green'], sampleType: 'uint8' };

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'lif-'));
const file = (name: string, bytes: () => Uint8Array) => (at: string) => {
  mkdirSync(at, { recursive: true });
  const path = join(at, name);
  writeFileSync(path, bytes());
  return path;
};
const lif = (spec: LifSpec) => file('demo.lif', () => writeLif(spec));

conformanceSuite(
  'LIF',
  [
    { name: 'a line scan', format: 'lif', write: lif({ elements: [lineVector()] }), scenes: [LINE] },
    { name: 'version 1', format: 'lif', write: lif({ version: 1, elements: [lineVector()] }), scenes: [LINE] },
    {
      name: 'a project of several images',
      format: 'lif',
      write: lif({ elements: [overview(), { name: 'Cell', elements: [seriesVector(), lineVector()] }] }),
      scenes: [FRAME, SERIES, LINE],
    },
    {
      name: 'LOF',
      format: 'lof',
      write: file('one.lof', () => writeLof(seriesVector())),
      scenes: [SERIES],
      refusesCuts: true,
    },
  ],
  folder,
);

it('a LIF line scan has 30,000 lines of both channels, and the overview with the line on it', async () => {
  const opened = await openAcquisition(lif({ elements: [overview(), longLineScan()] })(folder()));
  const scene = sceneOf(opened, 1);
  expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 30_000, X: 38 });
  expect(scene.steps.Y.step).toBeCloseTo(0.0025, 12);
  expect(scene.steps.Y.unit).toBe('seconds');
  expect(scene.steps.X.step).toBeCloseTo(10.796 / 37, 12);
  expect(scene.reference?.lineRoi?.[1]).toBe(3);
  for (const channel of [0, 1]) {
    const lines = await readNative(opened, 1, { channel });
    expect(lines[29_999 * 38 + 37]).toBe((29_999 * 7 + 37 * 113 + 1000 * channel) % 4096);
    expect(lines[12_345 * 38 + 6]).toBe((12_345 * 7 + 6 * 113 + 1000 * channel) % 4096);
  }
  opened.close();
});
