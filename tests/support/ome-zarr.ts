import type { Acquisition } from '../../src/acquisition.js';
import { openStore } from '../../src/formats/ome-zarr/index.js';
import { zipStore } from '../../src/formats/ome-zarr/store.js';
import { MemorySource } from '../../src/io/byte-source.js';
import { ZipArchive } from '../../src/io/zip.js';
import { NativeTarget, type SampleArray } from '../../src/plane-target.js';
import type { ImageSpec, StoreFiles } from '../writers/ome-zarr.js';
import { axis } from '../writers/ome-zarr.js';

/** Bytes read and keys opened of a store in memory. */
export interface Counts {
  bytes: number;
  keys: string[];
}

/** An acquisition over files in memory. */
export function openFiles(files: StoreFiles, counts?: Counts): Acquisition {
  const store = {
    name: 'memory.ome.zarr',
    open: (key: string) => {
      const bytes = files.get(key);
      if (!bytes) return undefined;
      counts?.keys.push(key);
      const source = new MemorySource(key, bytes);
      const count = (length: number) => {
        if (counts) counts.bytes += length;
      };
      return {
        name: key,
        size: source.size,
        close: () => {},
        read: (offset: number, length: number) => {
          count(length);
          return source.read(offset, length);
        },
        readInto: (target: Uint8Array, offset: number) => {
          count(target.length);
          source.readInto(target, offset);
        },
      };
    },
    list: (path: string) => {
      const inside = path === '' ? '' : `${path}/`;
      return [...files.keys()]
        .filter((key) => key.startsWith(inside))
        .map((key) => key.slice(inside.length).split('/')[0] as string);
    },
  };
  return openStore(store, 'ome.zarr');
}

/** An acquisition over a zip archive in memory. */
export function openZip(bytes: Uint8Array): Acquisition {
  return openStore(
    zipStore('memory.ome.zarr.zip', new ZipArchive(new MemorySource('memory.ome.zarr.zip', bytes))),
    'ome.zarr.zip',
  );
}

export async function planeOf(
  acquisition: Acquisition,
  address: { scene?: number; channel?: number; t?: number; z?: number } = {},
): Promise<SampleArray> {
  const scene = acquisition.info.scenes[address.scene ?? 0];
  if (!scene) throw new Error('no such scene');
  const target = new NativeTarget(scene.sampleType, scene.sizes.Y, scene.sizes.X);
  await acquisition.readPlane({ scene: 0, channel: 0, t: 0, z: 0, ...address }, target);
  return target.data;
}

/** The vector A of the fact sheet: 3 × 4 samples in chunks of 2 × 3, the last of which is not stored. */
export function smallImage(over: Partial<ImageSpec> = {}): ImageSpec {
  return {
    version: 2,
    type: 'uint16',
    shape: [1, 3, 4],
    chunks: [1, 2, 3],
    value: ([, y, x]) => 10 * (y as number) + (x as number),
    fill: 7,
    separator: '/',
    missing: (index) => index.join() === '0,1,1',
    axes: [axis('c'), axis('y', 'micrometer'), axis('x', 'micrometer')],
    scale: [1, 0.5, 0.25],
    ome: { omero: { channels: [{ label: 'GFP', color: '00FF00', window: { min: 0, max: 255, start: 0, end: 255 } }] } },
    ...over,
  };
}

/** Times, channels and depths of 9 × 11 pixels. */
export function stack(over: Partial<ImageSpec> = {}): ImageSpec {
  return {
    version: 3,
    type: 'uint16',
    shape: [2, 3, 2, 9, 11],
    chunks: [1, 1, 1, 4, 5],
    value: (index) => index.reduce((value, n) => value * 13 + n, 1) % 65_536,
    axes: [
      axis('t', 'millisecond'),
      axis('c'),
      axis('z', 'nanometer'),
      axis('y', 'micrometer'),
      axis('x', 'micrometer'),
    ],
    scale: [500, 1, 250, 0.5, 0.25],
    ...over,
  };
}
