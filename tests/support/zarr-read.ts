/** Reads OME-Zarr with zarrita. */
import { expect } from 'vitest';
import * as zarr from 'zarrita';
import { referenceImage, sceneImage, type ZarrImage } from '../../packages/readers/src/derive/zarr/images.js';
import type { ZarrVersion } from '../../packages/readers/src/derive/zarr/versions.js';
import type { Acquisition, SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { DETAILS, halveTimes, readImagePlane, reopen, type TreeStore, treeStore } from './zarr-tree.js';

export interface ReadArray {
  shape: readonly number[];
  dtype: string;
  data: SampleArray;
}

/** Reads a whole array of a tree, for example `0/0`, or a part of it. */
export async function readArray(
  store: TreeStore,
  version: ZarrVersion,
  path: string,
  selection: (number | null)[] | null = null,
): Promise<ReadArray> {
  const open = version === '0.4' ? zarr.open.v2 : zarr.open.v3;
  const array = await open(zarr.root(store as zarr.AsyncReadable).resolve(path), { kind: 'array' });
  const { data } = (await zarr.get(array, selection)) as { data: SampleArray };
  return { shape: array.shape, dtype: array.dtype, data };
}

/** Reads the attributes of a group. */
export async function readAttributes(store: TreeStore, version: ZarrVersion, path: string): Promise<zarr.Attributes> {
  const open = version === '0.4' ? zarr.open.v2 : zarr.open.v3;
  const root = zarr.root(store as zarr.AsyncReadable);
  const group = await open(path === '' ? root : root.resolve(path), { kind: 'group' });
  return group.attrs;
}

/**
 * Expects every level of every image to have the samples that the reader of the format reads.
 * @param store the tree of the acquisition, in memory by default
 */
export async function expectSameImages(
  acquisition: Acquisition,
  version: ZarrVersion,
  store: TreeStore = treeStore(acquisition, version),
): Promise<void> {
  const { info } = acquisition;
  for (const scene of info.scenes.keys()) {
    for (const image of [sceneImage(info, scene), referenceImage(info, scene)]) {
      if (image) await expectSameImage(acquisition, image, store, version);
    }
  }
}

/** Expects our reader to find the sizes, steps, names and dates of an acquisition in its tree, served or stored. */
export function expectSameMetadata(acquisition: Acquisition, version: ZarrVersion): void {
  const { scenes } = reopen(acquisition, version, 'served').info;
  const stored = reopen(acquisition, version, 'stored').info.scenes;
  expect(stored.map(withoutChunkWarning)).toEqual(scenes.map(withoutChunkWarning));
  expect(scenes.map(toMetadata)).toEqual(
    acquisition.info.scenes.map((scene) => ({ ...toMetadata(scene), name: scene.name || DETAILS.name })),
  );
}

/** Only the documents are there, which a warning says of each array by its key. */
function withoutChunkWarning(scene: SceneInfo): SceneInfo {
  return { ...scene, warnings: scene.warnings.filter((warning) => !warning.includes('contains no chunks')) };
}

function toMetadata({ name, sampleType, channels, sizes, steps, date, time }: SceneInfo) {
  const calibration = Object.fromEntries(Object.entries(steps).map(([axis, { step, unit }]) => [axis, [step, unit]]));
  const names = channels.map((channel) => channel.name);
  const type = sampleType === 'float16' ? 'float32' : sampleType;
  return { name, type, names, sizes, calibration, date, time };
}

async function expectSameImage(acquisition: Acquisition, image: ZarrImage, store: TreeStore, version: ZarrVersion) {
  const { path, sizes, channels, levels } = image;
  for (const [level, { rows, columns }] of levels.entries()) {
    const { shape, data } = await readArray(store, version, `${path}/${level}`);
    expect(shape).toEqual([sizes.T, channels.length, sizes.Z, rows, columns]);
    let index = 0;
    for (let t = 0; t < sizes.T; t++) {
      for (let channel = 0; channel < channels.length; channel++) {
        for (let z = 0; z < sizes.Z; z++, index++) {
          const plane = halveTimes(await readImagePlane(acquisition, image, { channel, t, z }), image, level);
          const read = data.subarray(index * rows * columns, (index + 1) * rows * columns);
          const isSame = Buffer.from(bytesOf(read)).equals(bytesOf(plane));
          expect(isSame, `${path}/${level}, T ${t}, channel ${channel}, Z ${z}`).toBe(true);
        }
      }
    }
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: SampleArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
