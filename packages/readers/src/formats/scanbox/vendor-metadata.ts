import { grouped, plural } from '../../base/wording.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { type MatVariable, textsOf } from './mat-variable.js';

/** Values of one array, and elements of an array of structs or cells, that are listed. */
const MAX_VALUES = 32;

/** Lists the fields of `info` by their paths: `config/knobby/pos/x`. */
export function listMetadata(info: MatVariable, list: MetadataList): void {
  add(list, '', info);
}

function add(list: MetadataList, name: string, value: MatVariable): void {
  if (list.isFull) return;
  if (value.kind === 'struct') addStruct(list, name, value.fields);
  else if (value.kind === 'text') list.add(name, textsOf(value).join('\n'));
  else if (value.kind === 'cell') {
    for (const [i, cell] of value.cells.slice(0, MAX_VALUES).entries()) add(list, `${name}[${i + 1}]`, cell);
  } else if (value.kind === 'other') list.add(name, '', 'Values of this type are not listed');
  else {
    const numbers = Array.from({ length: Math.min(MAX_VALUES, value.count) }, (_, i) => value.at(i));
    const note =
      value.count > MAX_VALUES ? `The first ${grouped(MAX_VALUES)} of ${plural(value.count, 'value')}` : undefined;
    list.add(name, numbers.join(', '), note);
  }
}

function addStruct(list: MetadataList, name: string, fields: ReadonlyMap<string, readonly MatVariable[]>): void {
  for (const [field, values] of fields) {
    const path = name === '' ? field : `${name}/${field}`;
    for (const [i, value] of values.slice(0, MAX_VALUES).entries()) {
      add(list, values.length > 1 ? `${path}[${i + 1}]` : path, value);
    }
  }
}
