import { openStore } from '../../packages/readers/src/formats/ome-zarr/index.js';
import { zipStore } from '../../packages/readers/src/formats/ome-zarr/store.js';
import { MemorySource } from '../../packages/readers/src/io/byte-source.js';
import { ZipArchive } from '../../packages/readers/src/io/zip.js';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import type { SampleArray } from '../../packages/readers/src/model/samples/types.js';
import { axis, type ImageSpec, imageFiles, json, type StoreFiles } from '../writers/ome-zarr.js';

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

const FRAME: Partial<ImageSpec> = {
  version: 3,
  shape: [2, 8, 8],
  chunks: [1, 8, 8],
  axes: [axis('c'), axis('y', 'micrometer'), axis('x', 'micrometer')],
  scale: [1, 0.5, 0.5],
  ome: {},
};

/** A line scan of 3 lines × 4 pixels as acqstore writes it, below `path`. */
export async function native(path = '', over: { sidecar?: object; manifest?: object } = {}): Promise<StoreFiles> {
  const at = (name: string) => (path === '' ? name : `${path}/${name}`);
  const line = await imageFiles(smallImage({ version: 3, path, axes: [axis('c'), axis('y', 'seconds'), axis('x')] }));
  const reference = await imageFiles(smallImage({ ...FRAME, path: at('reference') }));
  const manifest = {
    format: 'acqstore-native-ome-zarr',
    version: 2,
    sidecar: 'acqstore/acq_image.json',
    reference_image: 'reference',
    ...over.manifest,
  };
  const sidecar = {
    image_header_metadata: {
      physical_unit_y: '0.002',
      physical_unit_x: 0.25,
      physical_label_y: 'seconds',
      physical_label_x: 'um',
      date: '2024-05-06',
      time: '07:08:09',
    },
    reference_image_metadata: {
      has_scan_path: true,
      scan_path_num_points: 3,
      scan_path_x_pixels: [1, 2, '6.5'],
      scan_path_y_pixels: [2, 3, 4],
      line_roi: '(1.0, 2.0, 6.5, 4.0)',
      physical_unit_y: 0.4,
      physical_label_y: 'um',
    },
    ...over.sidecar,
  };
  const files = new Map([...line, ...reference]);
  files.set(at('acqstore/manifest.json'), json(manifest));
  files.set(at('acqstore/acq_image.json'), json(sidecar));
  return files;
}
