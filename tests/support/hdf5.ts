import { openIms } from '../../packages/readers/src/formats/ims/index.js';
import { openNwb } from '../../packages/readers/src/formats/nwb/index.js';
import { Hdf5File } from '../../packages/readers/src/hdf5/file.js';
import { MemorySource } from '../../packages/readers/src/io/byte-source.js';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { type H5Group, type H5Options, writeHdf5 } from '../writers/hdf5.js';
import type { ImsSpec } from '../writers/ims.js';

export const KINDS = ['old', 'new'] as const;

export function openTree(root: H5Group, options: H5Options = {}): Hdf5File {
  return new Hdf5File(new MemorySource('demo.h5', writeHdf5(root, options)));
}

export function openImsBytes(bytes: Uint8Array) {
  return openIms(new MemorySource('demo.ims', bytes));
}

/** One plane of an array as numbers. */
export async function planeOf(
  file: Hdf5File,
  path: string,
  choice: { row: number | undefined; column: number | undefined; at: number[] },
  size?: [rows: number, columns: number],
): Promise<number[]> {
  const dataset = file.find(path)?.dataset;
  if (!dataset) throw new Error(`no ${path}`);
  const along = (axis: number | undefined) => (axis === undefined ? 1 : (dataset.shape[axis] as number));
  const [rows, columns] = size ?? [along(choice.row), along(choice.column)];
  const target = new NativeTarget(dataset.sampleType, rows, columns);
  await dataset.readPlane(choice, target);
  return Array.from(target.data, Number);
}

/** Two channels, three depths, two times; a number that names its place. */
export function volume(over: Partial<ImsSpec> = {}): ImsSpec {
  return {
    size: { X: 5, Y: 4, Z: 3 },
    names: ['Green', 'Red'],
    timePoints: 2,
    value: (c, t, z, y, x) => 1000 * c + 500 * t + 20 * z + 5 * y + x,
    image: {
      ExtMin0: '0',
      ExtMax0: '2.5',
      ExtMin1: '-1',
      ExtMax1: '0.000000',
      ExtMin2: '10',
      ExtMax2: '7',
      Unit: 'um',
    },
    times: ['2024-03-05 14:18:23.000', '2024-03-05 14:18:23.250'],
    ...over,
  };
}

export async function openNwbBytes(bytes: Uint8Array, beside: Record<string, Uint8Array> = {}) {
  const openAnyCase = (name: string) => {
    const file = beside[name];
    return file && new MemorySource(name, file);
  };
  return await openNwb(new MemorySource('demo.nwb', bytes), 'demo.nwb', { openAnyCase });
}

/** Plane of a scene as numbers. */
export async function scenePlane(
  acquisition: Acquisition,
  scene: number,
  at: { channel?: number; t?: number; z?: number } = {},
): Promise<number[]> {
  const info = acquisition.info.scenes[scene];
  if (!info) throw new Error(`no scene ${scene}`);
  const target = new NativeTarget(info.sampleType, info.sizes.Y, info.sizes.X);
  await acquisition.readPlane({ scene, channel: at.channel ?? 0, t: at.t ?? 0, z: at.z ?? 0 }, target);
  return Array.from(target.data, Number);
}
