import { grouped } from '../../base/wording.js';
/** NDTiff 2 and 3: TIFF files with an index of images by named axes. See `docs/formats/ndtiff.md`. */

import type { Siblings } from '../../io/folder.js';
import { nameKey } from '../../io/name-index.js';
import { baseName } from '../../io/paths.js';
import type { Acquisition, NamedPlane, OpenInput, Reader } from '../../model/acquisition.js';
import { arrangeImages, type NdtiffScene } from './arrange.js';
import { NdtiffFiles } from './files.js';
import { ImageMetadata } from './images.js';
import { areLines, inOrderOfDepth, toSceneInfo } from './metadata.js';
import { readColumns } from './plane-columns.js';
import { readPlane } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = { open };

async function open(input: OpenInput): Promise<Acquisition> {
  return openSet(input, input.folder);
}

/** Opens a set by one of its files, or by its folder. */
export function openSet(input: Pick<OpenInput, 'probe' | 'source'>, folder: Siblings): Acquisition {
  const files = new NdtiffFiles(input, folder);
  const { summary } = files;
  const reduction = reductionOf(folder);
  if (reduction > 1)
    files.notes.add(
      `This is a level that was reduced ${grouped(reduction)} times. Open "Full resolution" for all pixels.`,
    );
  const arranged = arrangeImages(files.entries);
  const set = { summary, images: new ImageMetadata(files, reduction > 1), reduction, scenes: arranged.length };
  const scenes = arranged.map((scene) => inOrderOfDepth(scene, set));
  const infos = scenes.map((scene) => toSceneInfo(scene, set));
  for (const info of infos) info.warnings = [...files.notes.list(), ...info.warnings];
  return {
    info: { format: 'tif', scenes: infos, ...findNamed(files, scenes) },
    files: () => (input.source ? files.names() : 'folder'),
    bands: (scene) => scenes[scene]?.height ?? 1,
    readPlaneColumns: async (scene) => (scenes[scene] ? readColumns(files, scenes[scene]) : {}),
    listMetadata: async (scene, list) => listMetadata(files, summary, scenes[scene]?.first, list),
    readPlane: async ({ scene, ...address }, target, signal) =>
      readPlane(files, scenes[scene]!, address, target, signal),
  };
}

/** A reduced level of a pyramid is in a folder `Downsampled_x2`. */
function reductionOf({ path = '' }: Siblings): number {
  const match = /^Downsampled_x(\d{1,4})$/i.exec(baseName(path));
  return Math.max(1, Number(match?.[1] ?? 1));
}

/** Finds the first plane of the TIFF file that was named, if it is one of several. */
function findNamed({ openedKey }: NdtiffFiles, scenes: readonly NdtiffScene[]): { named?: NamedPlane } {
  if (openedKey === undefined) return {};
  for (const [index, scene] of scenes.entries()) {
    const found = scene.find(({ file }) => nameKey(file) === openedKey);
    if (found) return { named: { scene: index, t: areLines(scene) ? 0 : found.t, z: sectionOf(scene, found) } };
  }
  return {};
}

function sectionOf({ order }: NdtiffScene, { t, z }: { t: number; z: number }): number {
  return order ? order.sectionOf(t, z) : z;
}
