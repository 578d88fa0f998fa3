/** Leica LIF, LOF, and projects on disk (XLEF, XLIF). See `docs/formats/lif.md`. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { readTextBlock } from './blocks.js';
import { collectLif, collectLof } from './container.js';
import { collectFromDisk, spellFiles } from './disk.js';
import type { ImageList } from './images.js';
import { isContainer } from './magic.js';
import { toScenes } from './metadata.js';
import { planeColumns } from './plane-columns.js';
import { readImagePlane } from './planes.js';
import type { LifScene } from './types.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = { open };

/** @throws AcqError `unsupported_format`, `decode_failed`, `companion_missing` */
async function open({ source, probe, folder, signal }: OpenInput): Promise<Acquisition> {
  const { name } = probe;
  if (!source) throw unsupported('is a folder. Open the .lif or .xlef file inside it.');
  if (!isContainer(probe.head)) return openProject(source, name, folder, signal);
  const header = readTextBlock(source, 0);
  if (header.text === 'LMS_Object_File') return toAcquisition(source, 'lof', collectLof(source));
  return toAcquisition(source, 'lif', collectLif(source, header, signal));
}

/**
 * Opens a project on disk.
 * @param source the XLEF, XLCF or XLIF file
 * @throws AcqError `decode_failed`, `companion_missing`
 */
export function openProject(source: ByteSource, name: string, siblings: Siblings, signal?: AbortSignal): Acquisition {
  const format = /\.(xlif|xlcf)$/i.exec(name)?.[1]?.toLowerCase() ?? 'xlef';
  const list = collectFromDisk(source, name, siblings, signal);
  return { ...toAcquisition(source, format, list), files: () => spellFiles(siblings, list.files) };
}

function toAcquisition(source: ByteSource, format: string, list: ImageList): Acquisition {
  const scenes = toScenes(list.images, list.notes);
  if (scenes.length === 0) {
    if (list.missing) throw list.missing;
    const reasons = list.notes.list().slice(0, 3);
    throw decodeFailed(['the file does not contain a readable image.', ...reasons].join(' '));
  }
  const sceneAt = (index: number): LifScene => {
    const scene = scenes[index];
    if (!scene) throw decodeFailed(`there is no scene ${index}`);
    return scene;
  };
  return {
    info: { format, scenes: scenes.map(({ info }) => info) },
    bands: (index) => {
      const { rows, columns } = sceneAt(index).image.layout;
      return columns.increment <= rows.increment ? rows.count : 1;
    },
    async readPlane(address, target, signal) {
      const { image, part } = sceneAt(address.scene);
      await readImagePlane(image, part, address, target, signal);
    },
    async readReference(index, channel, target, signal) {
      const { reference } = sceneAt(index);
      if (!reference) throw decodeFailed(`scene ${index} has no reference image`);
      await readImagePlane(reference, 0, { channel, t: 0, z: 0 }, target, signal);
    },
    readPlaneColumns: async (index) => planeColumns(sceneAt(index).image.raw, sceneAt(index).image.layout),
    listMetadata: async (index, entries) => listMetadata(source, sceneAt(index).image.raw.blockId, entries),
  };
}
