/** Builds a scene from each image of the file. */

import { AcqError, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { type Notes, sceneWarnings } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { contentsOf } from '../../hdf5/contents.js';
import type { DatasetPlanes } from '../../hdf5/dataset-planes.js';
import type { Hdf5File } from '../../hdf5/file.js';
import type { SceneInfo } from '../../model/acquisition.js';
import { dimensionsOf, MIN_SIDE } from './dimensions.js';
import { toScene } from './metadata.js';
import { findArrays, type RawArray } from './parse.js';
import { planesOf } from './planes.js';

export interface ArrayScene {
  info: SceneInfo;
  planes: DatasetPlanes;
}

/** @throws AcqError `unsupported_format`, `decode_failed`, `plane_too_large` when there is no image that can be read */
export function openScenes(file: Hdf5File): ArrayScene[] {
  const { arrays, notes, failure: first } = findArrays(file);
  let failure = first;
  const scenes: ArrayScene[] = [];
  // The first scene is what opens: a recording before its masks and averages.
  const isStack = ({ dataset }: RawArray) => Number(dataset.shape.length > 2);
  for (const array of arrays.toSorted((a, b) => isStack(b) - isStack(a)).slice(0, LIMITS.scenes)) {
    const dimensions = dimensionsOf(array);
    if (!dimensions) continue;
    try {
      array.dataset.check();
      scenes.push({ info: toScene(array, dimensions), planes: planesOf(array.dataset, dimensions.axes) });
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      failure ??= error;
      notes.add(quoteError(`${array.path} was skipped`, error));
    }
  }
  if (scenes.length === 0) throw nothingToRead(file, notes, failure);
  for (const { info } of scenes) info.warnings = sceneWarnings(info.warnings, notes);
  return scenes;
}

function nothingToRead(file: Hdf5File, notes: Notes, failure: AcqError | undefined): AcqError {
  if (failure) {
    const reasons = notes.list().slice(0, 3).join('; ');
    return new AcqError(failure.code, `is ${contentsOf(file)}. Nothing in it can be read. ${reasons}`, {
      cause: failure,
    });
  }
  const rule = `of at least ${MIN_SIDE} rows and ${MIN_SIDE} columns, or with names for its dimensions`;
  return unsupported(`is ${contentsOf(file)}. It has no image: an array of numbers ${rule}.`);
}
