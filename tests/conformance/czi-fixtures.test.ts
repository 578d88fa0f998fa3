import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { readNative, sceneOf } from '../support/native.js';
import { tempFolder } from '../support/temp.js';
import { type CziSpec, writeCzi, writeCziSet } from '../writers/czi.js';
import { color, lineSample, lineScan, mosaic, stack } from '../writers/czi-kinds.js';
import { type ConformanceCase, conformanceSuite } from './suite.js';

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'set-'));

const lines = { T: 1, Z: 1, Y: 50, X: 6 };
const lineScenes = [{ sizes: lines, channels: ['Ch1-T1', 'Ch2-T1'], sampleType: 'uint16' }];
const stackScenes = [{ sizes: { T: 2, Z: 3, Y: 5, X: 7 }, channels: ['DAPI', 'GFP'], sampleType: 'uint16' }];
const tiles = [
  { m: 0, x: 0, y: 0 },
  { m: 1, x: 6, y: 3 },
  { m: 0, x: 500, y: 0, s: 1 },
];
/** Samples that tell the tile and their place in it. */
const tilesOf = ({ blocks, ...rest }: CziSpec): CziSpec => ({
  ...rest,
  blocks: blocks.map((block, tile) => ({
    ...block,
    data: Uint8Array.from({ length: 24 }, (_, i) => 70 * tile + i + 1),
  })),
});
const tileScenes = [
  { sizes: { T: 1, Z: 1, Y: 7, X: 12 }, channels: ['DAPI'], sampleType: 'uint8' },
  { sizes: { T: 1, Z: 1, Y: 4, X: 6 }, channels: ['DAPI'], sampleType: 'uint8' },
];
const colorScenes = [{ sizes: { T: 1, Z: 1, Y: 3, X: 4 }, channels: ['R', 'G', 'B'], sampleType: 'uint16' }];

const kinds: (Pick<ConformanceCase, 'name' | 'scenes' | 'judge' | 'withoutMetadata'> & { spec: CziSpec })[] = [
  { name: 'line scan', spec: lineScan(50, 6, 2, 7, { period: 0.002, reference: true }), scenes: lineScenes },
  { name: 'line scan, Zstd', spec: lineScan(50, 6, 2, 7, { coded: [0, 1] }), scenes: lineScenes },
  { name: 'unfinished line scan', spec: { ...lineScan(50, 6, 2, 7), finished: false }, scenes: lineScenes },
  { name: 'line scan, directory first', spec: { ...lineScan(50, 6, 2, 7), directoryFirst: true }, scenes: lineScenes },
  { name: 'stack', spec: stack(2, 3), scenes: stackScenes },
  {
    name: 'stack, directory first',
    spec: { ...stack(2, 3), directoryFirst: true, deleted: true },
    scenes: stackScenes,
  },
  { name: 'mosaic of two scenes', spec: tilesOf(mosaic(tiles)), scenes: tileScenes, judge: { pieces: true } },
  { name: 'color pixels', spec: color('Bgr48'), scenes: colorScenes, withoutMetadata: true },
];

conformanceSuite(
  'CZI',
  kinds.map(({ spec, ...rest }) => ({
    ...rest,
    format: 'czi',
    write: (at) => {
      const path = join(at, 'image.czi');
      writeFileSync(path, writeCzi(spec));
      return path;
    },
  })),
  folder,
);

const split: CziSpec = { ...stack(2, 3), blocks: stack(2, 3).blocks.map((block, i) => ({ ...block, part: i % 3 })) };
conformanceSuite(
  'CZI',
  [
    {
      name: 'set of three files',
      format: 'czi',
      write: (at) => {
        const names = ['set.czi', 'set (1).czi', 'set (2).czi'];
        for (const [i, bytes] of writeCziSet(split).entries()) writeFileSync(join(at, names[i] as string), bytes);
        return join(at, 'set.czi');
      },
      scenes: stackScenes,
    },
  ],
  folder,
);

it('serves 30,000 lines with the overview and the path of the scanner', async () => {
  const path = join(folder(), 'long.czi');
  writeFileSync(path, writeCzi(lineScan(30_000, 38, 1, 82, { period: 0.00117, reference: true })));
  const opened = await openAcquisition(path);
  const scene = sceneOf(opened, 0);
  expect(scene.sizes.Y).toBe(30_000);
  expect(scene.steps.Y.step).toBeCloseTo(0.00117, 9);
  expect(scene.reference?.scanPath?.x).toHaveLength(120);
  const samples = await readNative(opened, 0, { channel: 0 });
  for (const t of [0, 81, 82, 29_999]) expect(samples[t * 38 + 37]).toBe(lineSample(0, t, 37) % 65_536);
  opened.close();
});
