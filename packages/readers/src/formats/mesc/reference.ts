/** The picture on which the lines of a scan were drawn: a unit of its own. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import type { Notes } from '../../base/notes.js';
import { planeTooLarge } from '../../base/plane-size.js';
import { quoteError } from '../../base/subject.js';
import { shorten } from '../../base/wording.js';
import type { DatasetPlanes } from '../../hdf5/dataset-planes.js';
import type { Hdf5File } from '../../hdf5/file.js';
import type { ReferenceInfo } from '../../model/acquisition.js';
import { lengthStep, toChannels } from './metadata.js';
import { type RawUnit, unitAt } from './parse.js';
import { framePlanes } from './planes.js';

export interface MescReference {
  info: ReferenceInfo;
  planes: DatasetPlanes;
}

/** Returns the first frame of the unit at `BackgroundImagePath`; nothing, with a note, when it cannot be read. */
export function findBackground(file: Hdf5File, { background }: RawUnit, notes: Notes): MescReference | undefined {
  if (!background) return undefined;
  try {
    const unit = unitAt(file, background);
    if (!unit) throw decodeFailed(`${shorten(background)} is missing`);
    return toReference(unit, notes);
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(quoteError('The reference image cannot be read', error));
    return undefined;
  }
}

function toReference(unit: RawUnit, notes: Notes): MescReference {
  const [first] = unit.channels;
  const { shape, sampleType } = first!.dataset;
  const [Y = 0, X = 0] = shape.slice(-2);
  const channels = unit.channels.filter(
    ({ dataset }) => dataset.sampleType === sampleType && dataset.shape.join() === shape.join(),
  );
  if (shape.length < 2 || shape.length > 3) throw decodeFailed('the background has neither 2 nor 3 dimensions');
  const tooLarge = planeTooLarge({ Y, X });
  if (tooLarge) throw tooLarge;
  if (channels.length < unit.channels.length)
    notes.add('Some channels of the reference image differ from its first one, and were skipped.');
  return {
    planes: framePlanes(
      channels.map(({ dataset }) => dataset),
      shape.length === 3 ? ['T'] : [],
    ),
    info: {
      sampleType,
      channels: toChannels(channels),
      sizes: { Y, X },
      steps: { Y: lengthStep(unit, 'Y', notes), X: lengthStep(unit, 'X', notes) },
      lineRoi: null,
      scanPath: null,
    },
  };
}
