import { expect, it } from 'vitest';
import { openNwb } from '../../../packages/readers/src/formats/nwb/index.js';
import { Float32Target } from '../../../packages/readers/src/model/samples/plane-target.js';
import { CountingSource } from '../../support/counting-source.js';
import { SparseSource } from '../../support/sparse-source.js';
import { writeHdf5Pieces } from '../../writers/hdf5.js';
import { imagingPlane, nwbTree, series, writeNwb } from '../../writers/nwb.js';

const NO_FILES = { openAnyCase: () => undefined };
const SIDE = 1024;
const FRAMES = 1500;

it('a 3 GB recording opens with its metadata; a frame reads that frame', async () => {
  const data = { data: new Uint16Array(1), shape: [FRAMES, SIDE, SIDE], hole: true };
  const recording = series({ data, dimension: [SIDE, SIDE], rate: 30, plane: 'p' });
  const tree = nwbTree({
    acquisition: { TwoPhotonSeries: recording },
    planes: { p: imagingPlane({ spacing: [5e-7, 5e-7], channels: ['GCaMP6f'] }) },
  });
  const { size, pieces } = writeHdf5Pieces(tree);
  expect(size).toBeGreaterThan(3.1e9);
  const source = new CountingSource(new SparseSource('big.nwb', size, pieces));
  const acquisition = await openNwb(source, 'big.nwb', NO_FILES);
  expect(acquisition.info.scenes[0]?.sizes).toEqual({ T: FRAMES, Z: 1, Y: SIDE, X: SIDE });
  expect(source.bytes).toBeLessThan(60_000);
  expect(source.reads).toBeLessThan(15);
  source.reset();
  await acquisition.readPlane({ scene: 0, channel: 0, t: 1234, z: 0 }, new Float32Target(SIDE, SIDE));
  expect(source.bytes).toBe(2 * SIDE * SIDE);
  expect(source.reads).toBe(4);
});

it('of many chunks only those of the frame are found and read', async () => {
  const frames = 600;
  const data = {
    data: new Uint16Array(frames * 64),
    shape: [frames, 8, 8],
    chunks: [1, 8, 8],
    filters: ['gzip' as const],
  };
  const source = new CountingSource(writeNwb({ acquisition: { S: series({ data, dimension: [8, 8], rate: 30 }) } }));
  const acquisition = await openNwb(source, 'x.nwb', NO_FILES);
  source.reset();
  await acquisition.readPlane({ scene: 0, channel: 0, t: 431, z: 0 }, new Float32Target(8, 8));
  // The root of the index, one node of 64 entries, the chunk.
  expect(source.bytes).toBeLessThan(4 * 4096);
  expect(source.reads).toBeLessThan(6);
});

it('a line scan of lines in chunks reads each chunk once', async () => {
  const data = { data: new Uint16Array(3000 * 16), shape: [3000, 16], chunks: [100, 16], filters: ['gzip' as const] };
  const source = new CountingSource(writeNwb({ acquisition: { S: series({ type: 'TimeSeries', data, rate: 500 }) } }));
  const acquisition = await openNwb(source, 'x.nwb', NO_FILES);
  expect(acquisition.bands?.(0)).toBe(30);
  source.reset();
  await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0 }, new Float32Target(3000, 16));
  expect(source.reads).toBeLessThan(30 + 4);
});
