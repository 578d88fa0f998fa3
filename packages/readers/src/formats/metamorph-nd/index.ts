/** Sets of MetaMorph: a `.nd` and its stacks. See `docs/formats/metamorph-nd.md`. */

import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { namedPart } from '../../model/metadata/named-part.js';
import { arrangeSet, type NdSet } from './arrange.js';
import { findFiles } from './files.js';
import { findFile, listParts } from './list-parts.js';
import { NdMembers } from './members.js';
import { toSceneInfos } from './metadata.js';
import { parseNd } from './parse.js';
import { readColumns } from './plane-columns.js';
import { readPlane } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = { open, listParts };

/** @throws AcqError `decode_failed`, `companion_missing` */
async function open({ probe, source, folder, part, signal, openOther }: OpenInput): Promise<Acquisition> {
  const nd = parseNd(source!);
  const files = findFiles(folder.list(), probe.name, nd, folder.path);
  const set: NdSet = { nd, files, members: new NdMembers(openOther!) };
  const scenes = await arrangeSet(set, signal);
  const infos = await toSceneInfos(set, scenes, signal);
  /** Largest of what the files of a scene answer. */
  const most = (scene: number, ask: (sample: Acquisition, inner: number) => number | undefined) =>
    Math.max(0, ...(scenes[scene]?.parts ?? []).map(({ sample, inner }) => ask(sample, inner) ?? 0));
  return {
    info: { format: 'nd', scenes: infos, ...namedPart(part, probe.name, infos, (file) => findFile(set, scenes, file)) },
    *files() {
      yield probe.name;
      yield* files.names();
    },
    bands: (scene) => most(scene, (sample, inner) => sample.bands?.(inner)),
    scratchBytes: (scene) => most(scene, (sample, inner) => sample.scratchBytes?.(inner)),
    checkScene: (scene) => {
      for (const { sample, inner } of scenes[scene]?.parts ?? []) sample.checkScene?.(inner);
    },
    readPlane: async ({ scene, ...address }, target, stop) => readPlane(set, scenes[scene]!, address, target, stop),
    readPlaneColumns: async (scene) => readColumns(set, scenes[scene]!),
    listMetadata: async (scene, list) => listMetadata(set, scenes[scene], list),
  };
}
