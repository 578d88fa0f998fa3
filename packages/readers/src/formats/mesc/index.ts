/** Femtonics MESc: every unit is a scene, every line of a line scan too. See `docs/formats/mesc.md`. */

import { AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { sceneWarnings } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { hasMember } from '../../hdf5/contents.js';
import { readersOf } from '../../hdf5/dataset-planes.js';
import { Hdf5File } from '../../hdf5/file.js';
import type { Reader } from '../../model/acquisition.js';
import { findUnits, isSession } from './parse.js';
import { type MescScene, toScenes } from './scenes.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  claims: ({ source }) => source !== undefined && hasMember(source, isSession),
  open: async ({ source, signal }) => {
    if (!source) throw unsupported('is a folder. Open the .mesc file inside it.');
    const scenes = openScenes(new Hdf5File(source), signal);
    const sceneAt = (index: number): MescScene => {
      const scene = scenes[index];
      if (!scene) throw decodeFailed(`scene ${index} is missing`);
      return scene;
    };
    return {
      info: { format: 'mesc', scenes: scenes.map(({ info }) => info) },
      ...readersOf(scenes),
      async readReference(index, channel, target, signal) {
        const { reference } = sceneAt(index);
        if (!reference) throw decodeFailed(`scene ${index} has no reference image`);
        await reference.planes.read({ channel, t: 0, z: 0 }, target, signal);
      },
      listMetadata: async (index, list) => listMetadata(sceneAt(index).unit, list),
    };
  },
};

/** @throws AcqError `decode_failed`, `unsupported_format`, `plane_too_large` when no unit can be read */
function openScenes(file: Hdf5File, signal: AbortSignal | undefined): MescScene[] {
  const { units, notes } = findUnits(file);
  const scenes: MescScene[] = [];
  let failure: AcqError | undefined;
  for (const unit of units) {
    signal?.throwIfAborted();
    try {
      const found = toScenes(file, unit);
      if (scenes.length + found.length <= LIMITS.scenes) scenes.push(...found);
      else notes.add(`${unit.name} and what follows it were skipped: the file has too many lines.`);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      failure ??= error;
      notes.add(quoteError(`${unit.name} was skipped`, error));
    }
  }
  if (scenes.length === 0) {
    const reasons = notes.list().slice(0, 3).join('; ');
    throw failure
      ? new AcqError(failure.code, `no unit of the file can be read. ${reasons}`, { cause: failure })
      : decodeFailed(`contains no recording. ${reasons}`.trim());
  }
  for (const { info } of scenes) info.warnings = sceneWarnings(info.warnings, notes);
  return scenes;
}
