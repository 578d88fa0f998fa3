/** What an HDF5 file is, in words, for the message that refuses it. */
import { AcqError } from '../errors.js';
import type { ByteSource } from '../io/byte-source.js';
import { Hdf5File, type Hdf5Object } from './file.js';

/** Objects that are looked at, and datasets that are named. */
const MOST_OBJECTS = 200;
const MOST_NAMED = 3;

/** `an Imaris file`, `an NWB file`, or `a general HDF5 file with image (3 × 512 × 512 uint16), …`. */
export function contentsOf(file: Hdf5File): string {
  const { root } = file;
  if (root.attributeNames.includes('ImarisDataSet')) return 'an Imaris file';
  if (root.attributeNames.includes('nwb_version')) return 'an NWB file';
  if (root.links.has('nwb_version')) return 'an NWB file of version 1';
  const found = datasetsOf(root);
  if (found.length === 0) return 'a general HDF5 file without datasets that could be images';
  const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : '';
  return `a general HDF5 file with ${found.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** Whether the root group of a file has an attribute, or a member, of a name; `false` for a file that cannot be read. */
export function isMarked(source: ByteSource, name: string): boolean {
  try {
    const { root } = new Hdf5File(source);
    return root.attributeNames.includes(name) || root.links.has(name);
  } catch (error) {
    if (error instanceof AcqError) return false;
    throw error;
  }
}

/** Datasets with their shapes, nearest to the root first. */
function datasetsOf(root: Hdf5Object): string[] {
  const found: string[] = [];
  const groups = [root];
  const seen = new Set<Hdf5Object>(groups);
  for (const group of groups) {
    for (const [name, link] of group.links) {
      if (link.kind !== 'hard' || seen.size >= MOST_OBJECTS) continue;
      try {
        const object = group.child(name);
        if (!object || seen.has(object)) continue;
        seen.add(object);
        if (object.isDataset) found.push(`${object.path.slice(0, 100)} (${shapeOf(object)})`);
        else groups.push(object);
      } catch (error) {
        if (!(error instanceof AcqError)) throw error;
      }
    }
  }
  return found;
}

function shapeOf({ dataset }: Hdf5Object): string {
  const type = dataset.type.sampleType ?? (dataset.type.kind === 'variable-string' ? 'string' : dataset.type.label);
  return [dataset.shape.join(' × '), type].filter((part) => part !== '').join(' ');
}
