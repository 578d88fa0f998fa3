/** From an array to its scene. */

import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import { checkSizes } from '../../hdf5/dataset-planes.js';
import type { SceneInfo, Step } from '../../model/acquisition.js';
import { channelsShown, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import { NO_CLOCK } from '../../model/metadata/dates.js';
import { channelsNamed, channelsNumbered, cleanName } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import type { Axis, Dimensions } from './dimensions.js';
import type { RawArray } from './parse.js';

const COLORS = ['Red', 'Green', 'Blue', 'Alpha'];

/** @throws AcqError `plane_too_large`, `decode_failed` */
export function toScene({ path, dataset, elementSize }: RawArray, dimensions: Dimensions): SceneInfo {
  const { shape, sampleType } = dataset;
  const { axes, areColors } = dimensions;
  const size = (axis: Axis) => axes.reduce((product, one, i) => (one === axis ? product * shape[i]! : product), 1);
  const channels = size('C');
  const sizes = { T: size('T'), Z: size('Z'), Y: size('Y'), X: size('X') };
  checkSizes(sizes);
  if (channels > LIMITS.channels) {
    throw decodeFailed(`has ${grouped(channels)} channels; the limit is ${grouped(LIMITS.channels)}`);
  }
  const notes = new Notes();
  notes.addAll(dimensions.notes);
  if (dataset.neverWritten) notes.add('The data were never written. All pixels have the fill value of the file.');
  const step = (axis: 'Z' | 'Y' | 'X') => lengthStep(elementSize, axis);
  return {
    name: cleanName(path),
    sampleType,
    channels: areColors
      ? channelsShown(channelsNamed(COLORS.slice(0, channels)), SAMPLE_DISPLAYS)
      : channelsNumbered(channels),
    sizes,
    steps: {
      T: defaultStep('Frames'),
      Z: (sizes.Z > 1 && step('Z')) || defaultStep('Planes'),
      Y: step('Y') ?? defaultStep(),
      X: step('X') ?? defaultStep(),
    },
    ...NO_CLOCK,
    reference: null,
    warnings: notes.list(),
    axisWarnings: { planes: dimensions.aboutPages },
  };
}

/** Of (z, y, x) or (y, x). */
function lengthStep(elementSize: readonly number[], axis: 'Z' | 'Y' | 'X'): Step | undefined {
  const place = { Z: 3, Y: 2, X: 1 }[axis];
  if (elementSize.length > 3) return undefined;
  return makeStep(elementSize[elementSize.length - place] ?? 0, 'micrometer');
}
