/** Describes an HDF5 file in words, for the message that refuses it. */
import { AcqError } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import type { ByteSource } from '../io/byte-source.js';
import { Hdf5File, type Hdf5Object } from './file.js';

/** Objects that are searched, and datasets that are listed. */
const MAX_OBJECTS = 200;
const MAX_LISTED = 3;

/**
 * Returns 'an Imaris file', 'an NWB file', 'a MESc file', or `a general HDF5 file with /image (3 × 512 × 512 uint16), …`. Datasets and
 * groups that cannot be read are listed with the reason.
 */
export function contentsOf(file: Hdf5File): string {
  const { root } = file;
  const format = formatOf(root);
  if (format !== undefined) return format;
  const { datasets, failures, stopped } = listContents(root);
  const shown = datasets.slice(0, MAX_LISTED).join(', ');
  const more = datasets.length > MAX_LISTED ? ` and ${datasets.length - MAX_LISTED} more` : '';
  const notes = [
    ...(failures.length > 0 ? [`${plural(failures.length, 'object')} could not be read (${failures[0]})`] : []),
    ...(stopped ? [`only the first ${grouped(MAX_OBJECTS)} objects were searched`] : []),
  ];
  const listed = datasets.length > 0 ? `with ${shown}${more}` : 'without datasets';
  return [`a general HDF5 file ${listed}`, ...notes].join('; ');
}

/** True when the root group of a file has an attribute or a member with this name. False for a file that cannot be read. */
export function isMarked(source: ByteSource, name: string): boolean {
  return testRoot(source, (root) => root.attributeNames.includes(name) || root.links.has(name));
}

/** True when the root group of a file has a member with such a name. False for a file that cannot be read. */
export function hasMember(source: ByteSource, isIt: (name: string) => boolean): boolean {
  return testRoot(source, (root) => [...root.links.keys()].some(isIt));
}

/** True when a file has none of the marks of the formats in HDF5. False for a file that cannot be read. */
export function isOfNoFormat(source: ByteSource): boolean {
  return testRoot(source, (root) => formatOf(root) === undefined);
}

function formatOf(root: Hdf5Object): string | undefined {
  if (root.attributeNames.includes('ImarisDataSet')) return 'an Imaris file';
  if (root.attributeNames.includes('nwb_version')) return 'an NWB file';
  if (root.links.has('nwb_version')) return 'an NWB file of version 1';
  return [...root.links.keys()].some((name) => /^MSession_\d+$/.test(name)) ? 'a MESc file' : undefined;
}

function testRoot(source: ByteSource, test: (root: Hdf5Object) => boolean): boolean {
  try {
    return test(new Hdf5File(source).root);
  } catch (error) {
    if (error instanceof AcqError) return false;
    throw error;
  }
}

interface Inventory {
  /** Paths with shapes, nearest to the root first. */
  datasets: string[];
  /** Why objects could not be read. */
  failures: string[];
  stopped: boolean;
}

function listContents(root: Hdf5Object): Inventory {
  const inventory: Inventory = { datasets: [], failures: [], stopped: false };
  const groups = [root];
  const seen = new Set<Hdf5Object>(groups);
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      inventory.failures.push(error.statement);
      return undefined;
    }
  };
  for (const group of groups) {
    for (const [name, link] of attempt(() => group.links) ?? []) {
      if (link.kind !== 'hard') continue;
      inventory.stopped ||= seen.size >= MAX_OBJECTS;
      if (inventory.stopped) break;
      const object = attempt(() => group.child(name));
      if (!object || seen.has(object)) continue;
      seen.add(object);
      const isDataset = attempt(() => object.isDataset);
      if (isDataset) inventory.datasets.push(describe(object));
      else if (isDataset === false) groups.push(object);
    }
  }
  return inventory;
}

/** Returns the path and shape of a dataset, or the path and why it cannot be read. */
function describe(object: Hdf5Object): string {
  const path = object.path.slice(0, 100);
  try {
    return `${path} (${formatShape(object)})`;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    const reason = error.statement.replace(`${object.path}: `, '');
    return `${path} (not read: ${reason})`;
  }
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function formatShape({ dataset }: Hdf5Object): string {
  const type = dataset.type.sampleType ?? (dataset.type.kind === 'variable-string' ? 'string' : dataset.type.label);
  return [dataset.shape.map(grouped).join(' × '), type].filter((part) => part !== '').join(' ');
}
