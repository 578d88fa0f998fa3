/** Lists the attributes of a unit: its numbers and short texts, then the XML and JSON documents. */

import { addText } from '../../model/metadata/flatten-text.js';
import type { MetadataList } from '../../model/metadata-list.js';
import type { RawUnit } from './parse.js';

/** Numbers of one attribute that are listed. */
const MAX_NUMBERS = 32;

export function listMetadata({ attributes }: RawUnit, list: MetadataList): void {
  const isDocument = (name: string) => /(XML|JSON)$/.test(name);
  for (const name of attributes.names) if (!isDocument(name)) addValue(list, attributes, name);
  for (const name of attributes.names.filter(isDocument)) addText(list, name, attributes.text(name) ?? '');
}

function addValue(list: MetadataList, attributes: RawUnit['attributes'], name: string): void {
  const numbers = attributes.numbers(name);
  const text = numbers.length === 0 || isCharacters(name, numbers) ? attributes.text(name) : undefined;
  if (text !== undefined) list.add(name, text);
  else if (numbers.length === 1) list.add(name, String(numbers[0]));
  else list.add(name, JSON.stringify(numbers.slice(0, MAX_NUMBERS)));
}

/** Texts are arrays of character codes with a 0 at their end. Identifiers, positions and vectors are numbers. */
function isCharacters(name: string, numbers: readonly number[]): boolean {
  if (numbers.length < 2 || numbers.at(-1) !== 0 || /Uuid|Vec|Transl|Rot$/.test(name)) return false;
  return numbers.every(
    (code) =>
      Number.isInteger(code) && (code === 0 || code === 9 || code === 10 || code === 13 || code >= 32 || code < 0),
  );
}
