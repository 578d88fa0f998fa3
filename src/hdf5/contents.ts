/** What an HDF5 file is, in words, for the message that refuses it. */
import { AcqError } from '../errors.js';
import type { ByteSource } from '../io/byte-source.js';
import { Hdf5File, type Hdf5Object } from './file.js';

/** Objects that are looked at, and datasets that are named. */
const MOST_OBJECTS = 200;
const MOST_NAMED = 3;

/**
 * `an Imaris file`, `an NWB file`, or `a general HDF5 file with /image (3 × 512 × 512 uint16), …`. Datasets and groups
 * that this reader cannot read are named with the reason: a limit of the reader is not a statement about the file.
 */
export function contentsOf(file: Hdf5File): string {
  const { root } = file;
  if (root.attributeNames.includes('ImarisDataSet')) return 'an Imaris file';
  if (root.attributeNames.includes('nwb_version')) return 'an NWB file';
  if (root.links.has('nwb_version')) return 'an NWB file of version 1';
  const { datasets, failures, stopped } = inventoryOf(root);
  const shown = datasets.slice(0, MOST_NAMED).join(', ');
  const more = datasets.length > MOST_NAMED ? ` and ${datasets.length - MOST_NAMED} more` : '';
  const notes = [
    ...(failures.length > 0 ? [`${plural(failures.length, 'object')} could not be read (${failures[0]})`] : []),
    ...(stopped ? [`only the first ${MOST_OBJECTS} objects were searched`] : []),
  ];
  const found = datasets.length > 0 ? `with ${shown}${more}` : 'without datasets';
  return [`a general HDF5 file ${found}`, ...notes].join('; ');
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

interface Inventory {
  /** With their shapes, nearest to the root first. */
  datasets: string[];
  /** Why objects, which may be datasets, could not be read. */
  failures: string[];
  stopped: boolean;
}

function inventoryOf(root: Hdf5Object): Inventory {
  const found: Inventory = { datasets: [], failures: [], stopped: false };
  const groups = [root];
  const seen = new Set<Hdf5Object>(groups);
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      found.failures.push(error.message);
      return undefined;
    }
  };
  for (const group of groups) {
    for (const [name, link] of attempt(() => group.links) ?? []) {
      if (link.kind !== 'hard') continue;
      found.stopped ||= seen.size >= MOST_OBJECTS;
      if (found.stopped) break;
      const object = attempt(() => group.child(name));
      if (!object || seen.has(object)) continue;
      seen.add(object);
      const isDataset = attempt(() => object.isDataset);
      if (isDataset) found.datasets.push(describe(object));
      else if (isDataset === false) groups.push(object);
    }
  }
  return found;
}

/** Path and shape of a dataset; without a shape, why it is not read. */
function describe(object: Hdf5Object): string {
  const path = object.path.slice(0, 100);
  try {
    return `${path} (${shapeOf(object)})`;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    const reason = error.message.replace(`${object.file.name}: ${object.path}: `, '');
    return `${path} (not read: ${reason})`;
  }
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function shapeOf({ dataset }: Hdf5Object): string {
  const type = dataset.type.sampleType ?? (dataset.type.kind === 'variable-string' ? 'string' : dataset.type.label);
  return [dataset.shape.join(' × '), type].filter((part) => part !== '').join(' ');
}
