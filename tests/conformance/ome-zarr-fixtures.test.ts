import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openAcquisition } from '../../packages/server/src/open.js';
import { readNative, sceneOf } from '../support/native.js';
import { smallImage, stack } from '../support/ome-zarr.js';
import { tempFolder } from '../support/temp.js';
import { axis, blosc, imageFiles, type StoreFiles, writeStore, ZSTD, zipStore } from '../writers/ome-zarr.js';
import { conformanceSuite } from './suite.js';

const SMALL = await imageFiles(smallImage());
const STACK = await imageFiles(stack({ codecs: [blosc()] }));
const SHARDED = await imageFiles(
  stack({ chunks: [1, 3, 2, 8, 20], inner: { chunks: [1, 1, 1, 4, 5] }, codecs: [ZSTD] }),
);

const root = tempFolder();
const folder = () => mkdtempSync(join(root, 'zarr-'));
/** A store is opened by one of its documents, which the suite then cuts off. */
const store = (files: StoreFiles, document: string) => (at: string) => {
  writeStore(join(at, 'demo.ome.zarr'), files);
  return join(at, 'demo.ome.zarr', document);
};
const zip = (name: string, bytes: Uint8Array) => (at: string) => {
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, name), bytes);
  return join(at, name);
};

const SMALL_SCENE = { sizes: { T: 1, Z: 1, Y: 3, X: 4 }, channels: ['GFP'], sampleType: 'uint16' };
const STACK_SCENE = { sizes: { T: 2, Z: 2, Y: 9, X: 11 }, channels: ['CH1', 'CH2', 'CH3'], sampleType: 'uint16' };

conformanceSuite(
  'OME-Zarr',
  [
    {
      name: '0.4, opened by .zattrs',
      format: 'ome.zarr',
      write: store(SMALL, '.zattrs'),
      scenes: [SMALL_SCENE],
      silentlyAbsent: true,
    },
    {
      name: '0.4, opened by .zarray',
      format: 'ome.zarr',
      write: store(SMALL, '0/.zarray'),
      scenes: [SMALL_SCENE],
      silentlyAbsent: true,
    },
    {
      name: '0.5, Blosc',
      format: 'ome.zarr',
      write: store(STACK, 'zarr.json'),
      scenes: [STACK_SCENE],
      silentlyAbsent: true,
    },
    {
      name: '0.5, a shard',
      format: 'ome.zarr',
      write: store(SHARDED, '0/c/0/0/0/0/0'),
      scenes: [STACK_SCENE],
      silentlyAbsent: true,
    },
    {
      name: 'zip',
      format: 'ome.zarr.zip',
      write: zip('a.ome.zarr.zip', zipStore(SMALL)),
      scenes: [SMALL_SCENE],
      refusesCuts: true,
    },
    {
      name: 'deflated zip with a folder at the top',
      format: 'ome.zarr.zip',
      write: zip('a.ome.zarr.zip', zipStore(STACK, { top: 'a.ome.zarr/', deflate: true })),
      scenes: [STACK_SCENE],
      refusesCuts: true,
    },
    {
      name: 'OZX',
      format: 'ozx',
      write: zip('a.ozx', zipStore(SHARDED, { zip64: true })),
      scenes: [STACK_SCENE],
      refusesCuts: true,
    },
  ],
  folder,
);

it('serves 30,000 lines of a line scan in chunks, with the line period', async () => {
  const files = await imageFiles({
    version: 3,
    type: 'uint16',
    shape: [2, 30_000, 38],
    chunks: [1, 30_000, 38],
    inner: { chunks: [1, 1000, 38] },
    codecs: [blosc()],
    value: ([c, y, x]) => ((y as number) * 7 + (x as number) * 113 + 1000 * (c as number)) % 4096,
    axes: [axis('c'), { name: 'y', type: 'space', unit: 'second' }, axis('x', 'micrometer')],
    scale: [1, 0.0025, 0.29],
  });
  const opened = await openAcquisition(writeStore(join(folder(), 'line.ome.zarr'), files));
  const scene = sceneOf(opened, 0);
  expect(scene.sizes).toEqual({ T: 1, Z: 1, Y: 30_000, X: 38 });
  expect(scene.steps.Y).toEqual({ step: 0.0025, unit: 'seconds', origin: 'file' });
  expect(scene.steps.X).toEqual({ step: 0.29, unit: 'micrometer', origin: 'file' });
  for (const channel of [0, 1]) {
    const lines = await readNative(opened, 0, { channel });
    const wanted = Uint16Array.from(
      { length: 30_000 * 38 },
      (_, i) => (Math.floor(i / 38) * 7 + (i % 38) * 113 + 1000 * channel) % 4096,
    );
    expect(Buffer.compare(Buffer.from(lines.buffer), Buffer.from(wanted.buffer))).toBe(0);
  }
  expect(opened.acquisition.bands?.(0)).toBe(30);
  opened.close();
});
