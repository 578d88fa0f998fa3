/** Lists the values of a JSON document by their paths. */

import { grouped, plural } from '../../base/wording.js';
import type { MetadataList } from '../metadata-list.js';

/** Numbers and texts of one array that are listed, in one entry. */
const MAX_ITEMS = 64;
/** Objects and arrays of one array that are listed, each with its number. */
const MAX_OBJECTS = 100;
const MAX_DEPTH = 32;

/** Lists a parsed document: `attributes/omero/channels[1]/label`. Items of an array are numbered from 0, as in the file. */
export function addJson(list: MetadataList, name: string, value: unknown, depth = 0): void {
  if (list.isFull) return;
  if (typeof value !== 'object' || value === null) {
    if (value !== undefined) list.add(name, typeof value === 'string' ? value : JSON.stringify(value));
  } else if (depth === MAX_DEPTH) {
    list.add(name, '', 'Nested too deep to be listed');
  } else if (Array.isArray(value)) {
    addArray(list, name, value, depth);
  } else {
    const within = name === '' ? '' : `${name}/`;
    for (const key in value) addJson(list, within + key, (value as Record<string, unknown>)[key], depth + 1);
  }
}

function addArray(list: MetadataList, name: string, items: readonly unknown[], depth: number): void {
  const head = items.slice(0, MAX_ITEMS);
  if (!head.some((item) => typeof item === 'object' && item !== null)) {
    const note =
      items.length > MAX_ITEMS ? `The first ${grouped(MAX_ITEMS)} of ${plural(items.length, 'value')}` : undefined;
    list.add(name, JSON.stringify(head), note);
    return;
  }
  for (const [i, item] of items.slice(0, MAX_OBJECTS).entries()) addJson(list, `${name}[${i}]`, item, depth + 1);
  const rest = items.length - MAX_OBJECTS;
  if (rest > 0) list.add(`${name}[${MAX_OBJECTS}]`, '', `${plural(rest, 'more item')} of this list`);
}
