/** OBF and MSR of Imspector: every stack is a scene. See `docs/formats/obf.md`. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { sceneWarnings } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import type { Reader } from '../../model/acquisition.js';
import { uniqueNames } from '../../model/metadata/names.js';
import { StackReader } from './data.js';
import { type ObfScene, toScene } from './metadata.js';
import { parseObf, type RawObf } from './parse.js';
import { readPlane } from './planes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  open: async ({ source }) => {
    const raw = parseObf(source!);
    const scenes = openScenes(raw, source!.size);
    const stacks = new StackReader(source!);
    const sceneAt = (index: number): ObfScene => {
      const scene = scenes[index];
      if (!scene) throw decodeFailed(`scene ${index} is missing`);
      return scene;
    };
    return {
      info: { format: 'obf', scenes: scenes.map(({ info }) => info) },
      scratchBytes: (index) => sceneAt(index).data.scratchBytes,
      readPlane: ({ scene, ...at }, target, signal) => readPlane(stacks, sceneAt(scene), at, target, signal),
      listMetadata: async (index, list) => listMetadata(source!, raw, sceneAt(index).raw, list),
    };
  },
};

/** @throws AcqError `unsupported_format`, `decode_failed` when no stack can be read */
function openScenes({ stacks, notes }: RawObf, fileBytes: number): ObfScene[] {
  const scenes: ObfScene[] = [];
  let failure: AcqError | undefined;
  for (const [i, stack] of stacks.entries()) {
    try {
      scenes.push(toScene(stack, fileBytes));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      failure ??= error;
      notes.add(quoteError(`Stack ${i + 1} was skipped`, error));
    }
  }
  if (scenes.length === 0) throw failure ?? decodeFailed('contains no stack');
  const names = uniqueNames(scenes.map(({ info }) => info.name));
  for (const [i, { info }] of scenes.entries()) {
    info.name = names[i]!;
    info.warnings = sceneWarnings(info.warnings, notes);
  }
  return scenes;
}
