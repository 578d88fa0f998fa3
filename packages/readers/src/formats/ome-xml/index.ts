/** OME-XML that contains its pixels. See `docs/formats/ome-xml.md`. */

import { decodeFailed } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { isOmeXml } from './magic.js';
import { readColumns, toScenes } from './metadata.js';
import { readDocument } from './parse.js';
import { checkPlan, readPlane, scratchBytes } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  open,
  claims: ({ probe }) => isOmeXml(probe.head),
};

async function open({ source }: OpenInput): Promise<Acquisition> {
  if (!source) throw decodeFailed('is a folder, not a file');
  return openDocument(source);
}

/** Opens a document. */
export function openDocument(file: ByteSource): Acquisition {
  const document = readDocument(file);
  const scenes = toScenes(document);
  const { text, source } = document.cut;
  return {
    info: { format: 'ome', scenes: scenes.map(({ info }) => info) },
    scratchBytes: (scene) => (scenes[scene] ? scratchBytes(scenes[scene].plan) : 0),
    checkScene: (scene) => scenes[scene] && checkPlan(scenes[scene].plan),
    readPlaneColumns: async (scene) => readColumns(text, scenes[scene]!),
    listMetadata: async (scene, list) => listMetadata(text, { scene, scenes: scenes.length }, list),
    readPlane: async ({ scene, ...address }, target, signal) =>
      readPlane(source, scenes[scene]!.plan, address, target, signal),
  };
}
