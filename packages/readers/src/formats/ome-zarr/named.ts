/** Finds the plane that a file inside a store belongs to. */
import type { NamedPlane } from '../../model/acquisition.js';
import type { AxisRoles } from './multiscales.js';
import type { ZarrArray } from './types.js';

/** How keys below an image map to planes. */
export interface ImageKeys {
  /** Path of the image's group. */
  group: string;
  array: ZarrArray;
  roles: AxisRoles;
  sizes: { T: number; Z: number };
}

/**
 * Returns the first plane of a chunk; for another file of an image, the first plane of the image; for a document above
 * several images, the first plane of the first one.
 */
export function planeOfKey(images: readonly ImageKeys[], key: string): NamedPlane | undefined {
  const folder = key.slice(0, Math.max(0, key.lastIndexOf('/')));
  const inside = images.findIndex(({ group }) => isBelow(folder, group));
  const scene = inside >= 0 ? inside : images.findIndex(({ group }) => isBelow(group, folder));
  const image = images[scene];
  return image && { scene, ...(locateChunk(image, key) ?? { t: 0, z: 0 }) };
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

function locateChunk({ array, roles, sizes }: ImageKeys, key: string): { t: number; z: number } | undefined {
  const start = array.path === '' ? '' : `${array.path}/`;
  if (!key.startsWith(start + array.keys.prefix)) return undefined;
  const numbers = key.slice(start.length + array.keys.prefix.length).split(/[./]/);
  if (numbers.length !== array.shape.length || !numbers.every((text) => /^\d+$/.test(text))) return undefined;
  const first = (axis: number | undefined) =>
    axis === undefined ? 0 : Number(numbers[axis]) * array.pipeline.shape[axis]!;
  const place = { t: first(roles.t), z: first(roles.z) };
  return place.t < sizes.T && place.z < sizes.Z ? place : undefined;
}
