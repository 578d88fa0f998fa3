/** Bruker Prairie View: a folder of TIFFs and the XML that describes them. See `docs/formats/bruker.md`. */

import { decodeFailed } from '../../base/errors.js';
import { about } from '../../base/subject.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import { lastPart } from '../../io/paths.js';
import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { namedPart } from '../../model/metadata/named-part.js';
import { arrange } from './arrange.js';
import { MemberFiles } from './files.js';
import { findMainXml, readScan } from './main-xml.js';
import { toPlaneColumns } from './plane-columns.js';
import { readPlane } from './planes.js';
import { readReference } from './reference.js';
import { type BrukerScene, findPlane, listFiles, openScenes } from './scenes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = { open };

/** @throws AcqError `unsupported_format`, `decode_failed`, `companion_missing` */
async function open(input: OpenInput): Promise<Acquisition> {
  const { source, name } = findMainXml(input);
  const part = input.part === undefined ? undefined : lastPart(input.part);
  return openRecording(source, name, input.folder, part, input.signal);
}

/**
 * Opens the recording that an XML describes.
 * @param siblings its other files
 * @param part base name of the file that was named, when it is not the XML
 */
export function openRecording(
  source: ByteSource,
  name: string,
  siblings: Siblings,
  part?: string,
  signal?: AbortSignal,
): Acquisition {
  const files = new MemberFiles(siblings, name);
  const { scan, scenes } = about(name, () => {
    const scan = readScan(source);
    return { scan, scenes: openScenes(files, scan, arrange(scan), signal) };
  });
  const sceneAt = (index: number): BrukerScene => {
    const scene = scenes[index];
    if (!scene) throw decodeFailed(`there is no scene ${index}`).about(name);
    return scene;
  };
  const infos = scenes.map(({ info }) => info);
  const named = namedPart(part, name, infos, (file) => findPlane(scenes, file));
  return {
    info: { format: 'xml', scenes: infos, ...named },
    files: () => listFiles(files, scenes),
    scratchBytes: (scene) => sceneAt(scene).shape.scratchBytes,
    readPlane: async (address, target, stop) => {
      const { plan, shape } = sceneAt(address.scene);
      await readPlane({ plan, files }, shape, address, target, stop);
    },
    readReference: async (index, channel, target, stop) => {
      const { reference } = sceneAt(index);
      if (!reference) throw decodeFailed(`scene ${index} has no reference image`).about(name);
      await readReference(files, reference, channel, target, stop);
    },
    readPlaneColumns: async (index) => toPlaneColumns(sceneAt(index).plan, scan),
    listMetadata: async (_scene, list) => listMetadata(source, list),
  };
}
