/** The measured values of axes in the attribute `acquisition_store`, which exports of this program write beside the steps. */

import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../base/json.js';
import type { Notes } from '../../base/notes.js';
import { grouped } from '../../base/wording.js';
import type { MeasuredValues } from '../../model/metadata/axes.js';
import { cleanName } from '../../model/metadata/names.js';

/** Values that are read of an axis: as many as exports write. */
const MAX_VALUES = 100_000;
const MAX_SOURCE = 80;

export interface OwnAxis {
  unit: 'seconds' | 'micrometer';
  measured: MeasuredValues;
}

/**
 * Returns the values of an axis; `undefined` without any, or with a note when they cannot be used.
 * @param attributes of the group of the image
 * @param size of the axis: a list of another length is of another image
 */
export function ownCoordinates(
  attributes: JsonObject,
  axis: 'T' | 'Z' | 'Y',
  size: number,
  notes: Notes,
): OwnAxis | undefined {
  const entry = objectOf(objectOf(objectOf(attributes['acquisition_store'])?.['coordinates'])?.[axis]);
  if (!entry || size < 2) return undefined;
  const [unit, values] = [textOf(entry['unit']), listOf(entry['values'])];
  const isKnown = unit === 'seconds' || (unit === 'micrometer' && axis !== 'T');
  if (!isKnown || values.length !== size || values.length > MAX_VALUES) {
    const problem = isKnown
      ? `they have ${grouped(values.length)} values for ${grouped(size)} indices`
      : 'they have no unit';
    notes.add(`The coordinates of ${axis} in acquisition_store were ignored: ${problem}.`);
    return undefined;
  }
  const at = Float64Array.from(values, (value) => numberOf(value) ?? Number.NaN);
  const what = cleanName(textOf(entry['source'])).slice(0, MAX_SOURCE) || 'measured values';
  return { unit, measured: { at, what } };
}
