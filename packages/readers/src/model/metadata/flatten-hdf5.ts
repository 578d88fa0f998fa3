/** Lists the attributes and the small datasets of an HDF5 file by their paths. */

import { grouped, plural } from '../../base/wording.js';
import type { Hdf5File, Hdf5Object } from '../../hdf5/file.js';
import type { Hdf5Value } from '../../hdf5/values.js';
import type { MetadataList } from '../metadata-list.js';
import { addReadable } from './readable.js';

/** Objects that are visited. */
const MAX_OBJECTS = 5_000;
/** Attributes of one object, and members of one group, that are listed: a recording may have one for each time point. */
const MAX_OF_ONE = 100;
/** Values of one array that are listed. */
const MAX_VALUES = 32;

/**
 * Lists groups before their members, in the order of the file: `general/devices/microscope/description`.
 * @param skip names of members of the root that are not listed
 */
export async function addHdf5(
  list: MetadataList,
  { root }: Hdf5File,
  skip: ReadonlySet<string> = new Set(),
): Promise<void> {
  const seen = new Set<Hdf5Object>();
  const visit = async (object: Hdf5Object, path: string): Promise<void> => {
    if (list.isFull || seen.has(object) || seen.size >= MAX_OBJECTS) return;
    seen.add(object);
    await addReadable(list, path || '/', async () => {
      await addAttributes(list, object, path);
      if (object.isDataset) await addDataset(list, object, path);
      else await visitMembers(object, path);
    });
  };
  const visitMembers = async (group: Hdf5Object, path: string): Promise<void> => {
    const names = [...group.links].filter(([name, { kind }]) => kind === 'hard' && !(path === '' && skip.has(name)));
    for (const [name] of names.slice(0, MAX_OF_ONE)) {
      const inside = joined(path, name);
      await addReadable(list, inside, async () => {
        const member = group.child(name);
        if (member) await visit(member, inside);
      });
    }
    if (names.length > MAX_OF_ONE) {
      list.add(joined(path, '…'), '', plural(names.length - MAX_OF_ONE, 'more member'));
    }
  };
  await visit(root, '');
}

async function addAttributes(list: MetadataList, object: Hdf5Object, path: string): Promise<void> {
  const names = object.attributeNames;
  for (const name of names.slice(0, MAX_OF_ONE)) {
    const inside = joined(path, name);
    await addReadable(list, inside, () => {
      const value = object.attribute(name);
      if (value) addValue(list, inside, value, object.text(name));
    });
  }
  if (names.length > MAX_OF_ONE) list.add(joined(path, '…'), '', plural(names.length - MAX_OF_ONE, 'more attribute'));
}

/** Lists the value of a small dataset, and the shape of any other. */
async function addDataset(list: MetadataList, { dataset }: Hdf5Object, path: string): Promise<void> {
  const { shape, type } = dataset;
  const count = shape.reduce((product, size) => product * size, 1);
  const label = type.sampleType ?? type.label;
  if (count > MAX_VALUES) list.add(path, '', `${shape.join(' × ')} values (${label})`);
  else addValue(list, path, await dataset.values(), undefined);
}

/** @param text of an attribute that is an array of characters */
function addValue(list: MetadataList, name: string, { numbers, texts }: Hdf5Value, text: string | undefined): void {
  if (texts?.every((item) => item.length <= 1) && text !== undefined) list.add(name, text);
  else if (texts?.length === 1 || numbers?.length === 1) list.add(name, String((texts ?? numbers)![0]));
  else if (texts || numbers) {
    const items: readonly unknown[] = (texts ?? numbers)!;
    const note =
      items.length > MAX_VALUES ? `The first ${grouped(MAX_VALUES)} of ${plural(items.length, 'value')}` : undefined;
    list.add(name, JSON.stringify(items.slice(0, MAX_VALUES)), note);
  } else list.add(name, '', 'Values of this type are not listed');
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}
