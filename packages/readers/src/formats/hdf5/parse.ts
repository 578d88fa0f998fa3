/** Finds the arrays of an HDF5 file that may be images, with what their attributes say of the dimensions. */

import { AcqError } from '../../base/errors.js';
import { listOf, objectOf, textOf } from '../../base/json.js';
import { Notes } from '../../base/notes.js';
import { messageIn } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import type { Dataset } from '../../hdf5/dataset.js';
import type { Hdf5File, Hdf5Object } from '../../hdf5/file.js';

/** Objects that are visited. */
const MAX_OBJECTS = 20_000;

export interface RawArray {
  /** Path without the first slash. */
  path: string;
  dataset: Dataset;
  /** Keys of `axistags` (ilastik, vigra), or `DIMENSION_LABELS` of HDF5: one for each dimension, or none. */
  labels: string[];
  /** `CLASS`: `IMAGE`, `PALETTE`, `DIMENSION_SCALE`. */
  kind: string;
  /** `INTERLACE_MODE` of an image with colors. */
  interlace: string;
  /** `element_size_um`: of the last dimensions along space, in µm. */
  elementSize: readonly number[];
}

export interface FoundArrays {
  arrays: RawArray[];
  /** What could not be looked at. */
  notes: Notes;
  /** The first object that could not be read. */
  failure: AcqError | undefined;
}

/** Returns the arrays of numbers with two dimensions or more, those nearest to the root first. */
export function findArrays(file: Hdf5File): FoundArrays {
  const notes = new Notes();
  const found: FoundArrays = { arrays: [], notes, failure: undefined };
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      found.failure ??= error;
      notes.add(messageIn(file.name, error));
      return undefined;
    }
  };
  const groups = [file.root];
  const seen = new Set<Hdf5Object>(groups);
  for (const group of groups) {
    for (const [name, link] of attempt(() => group.links) ?? []) {
      // The target of a soft link is found at its own place.
      if (link.kind === 'soft') continue;
      if (seen.size > MAX_OBJECTS) {
        notes.add(`Only the first ${grouped(MAX_OBJECTS)} objects of the file were searched for images.`);
        return found;
      }
      const object = attempt(() => group.child(name));
      if (!object || seen.has(object)) continue;
      seen.add(object);
      const isDataset = attempt(() => object.isDataset);
      if (isDataset === false) groups.push(object);
      const array = isDataset ? attempt(() => readArray(object)) : undefined;
      if (array) found.arrays.push(array);
    }
  }
  return found;
}

/** Returns nothing for texts, tables, lists and empty arrays. */
function readArray(object: Hdf5Object): RawArray | undefined {
  const { dataset } = object;
  if (dataset.type.sampleType === undefined || dataset.shape.length < 2 || dataset.space.empty) return undefined;
  const text = (name: string) => object.text(name) ?? '';
  return {
    path: object.path.replace(/^\//, ''),
    dataset,
    labels: readLabels(object),
    kind: text('CLASS'),
    interlace: text('INTERLACE_MODE'),
    elementSize: object.attribute('element_size_um')?.numbers ?? [],
  };
}

function readLabels(object: Hdf5Object): string[] {
  const tags = parseTags(object.text('axistags') ?? '');
  return tags.length > 0 ? tags : (object.attribute('DIMENSION_LABELS')?.texts ?? []);
}

/** Parses `{"axes": [{"key": "t"}, …]}`. */
function parseTags(text: string): string[] {
  try {
    return listOf(objectOf(JSON.parse(text))?.['axes']).map((axis) => textOf(objectOf(axis)?.['key']) ?? '');
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
