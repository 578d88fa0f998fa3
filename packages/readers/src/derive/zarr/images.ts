/** The images in the OME-Zarr of an acquisition: its scenes, and their reference images. Pure. */
import type { AcquisitionInfo, ChannelInfo, Step } from '../../model/acquisition.js';
import { defaultStep } from '../../model/metadata/steps.js';
import { bytesPerElement, type SampleType } from '../../model/samples/types.js';
import { type LevelShape, levelShapes, MAX_CHUNK_SIDE } from './levels.js';

/** One multiscale image. Its arrays have the dimensions T, C, Z, Y, X. */
export interface ZarrImage {
  /** Path of its group: `0`, or `0/reference`. Empty for an image at the root of a store. */
  path: string;
  scene: number;
  /** Whose channels these are, as in the addresses of planes. */
  kind: 'channel' | 'reference';
  /** Empty when the file has none. */
  name: string;
  /** Type in the file. `float16` is served as float32. */
  sampleType: SampleType;
  channels: readonly ChannelInfo[];
  sizes: { T: number; Z: number; Y: number; X: number };
  steps: { T: Step; Z: Step; Y: Step; X: Step };
  /** Full resolution first. */
  levels: readonly LevelShape[];
}

/** Name of the group of a reference image, in that of its scene. */
export const REFERENCE = 'reference';

/**
 * Returns the image of a scene; `undefined` when there is no such scene.
 * @param path of its group
 */
export function sceneImage({ scenes }: AcquisitionInfo, scene: number, path = String(scene)): ZarrImage | undefined {
  const info = scenes[scene];
  if (!info) return undefined;
  const { name, sampleType, channels, sizes, steps } = info;
  const levels = levelShapes(sizes.Y, sizes.X);
  return { path, scene, kind: 'channel', name, sampleType, channels, sizes, steps, levels };
}

/**
 * Returns the reference image of a scene; `undefined` when there is none.
 * @param path of the group of the scene
 */
export function referenceImage(
  { scenes }: AcquisitionInfo,
  scene: number,
  path = String(scene),
): ZarrImage | undefined {
  const reference = scenes[scene]?.reference;
  if (!reference) return undefined;
  const { sampleType, channels, sizes, steps } = reference;
  return {
    ...{ path: below(path, REFERENCE), scene, kind: 'reference', name: REFERENCE, sampleType, channels },
    sizes: { T: 1, Z: 1, ...sizes },
    steps: { T: defaultStep('Frames'), Z: defaultStep('Planes'), ...steps },
    levels: levelShapes(sizes.Y, sizes.X),
  };
}

/** Returns the path of the group of a scene in a store on the disk: the root if it is the only one. */
export function storedGroup({ scenes }: AcquisitionInfo, scene: number): string {
  return scenes.length === 1 ? '' : String(scene);
}

/** Returns the path of what is in a group. */
export function below(group: string, name: string): string {
  return group === '' ? name : `${group}/${name}`;
}

/** Returns rows and columns of the chunks of a level. Further dimensions have one sample. */
export function chunkShape({ rows, columns }: LevelShape): LevelShape {
  return { rows: Math.min(rows, MAX_CHUNK_SIDE), columns: Math.min(columns, MAX_CHUNK_SIDE) };
}

/** Returns the bytes of each chunk of a level, including those at the edges. */
export function chunkByteLength({ sampleType, levels }: ZarrImage, level: number): number {
  const { rows, columns } = chunkShape(levels[level]!);
  return rows * columns * bytesPerElement(sampleType);
}
