import type { Format } from '../acquisition.js';
import { FORMATS } from '../formats/index.js';
import { toTable } from './table.js';

/** Returns the output of `acqstore formats`: one line per format. */
export function formatTable(formats: readonly Format[] = FORMATS): string {
  const rows = formats.map((format) => [format.id, format.label, format.extensions.join(' ')]);
  return toTable([['id', 'format', 'extensions'], ...rows]);
}

export function formatList(formats: readonly Format[] = FORMATS): object[] {
  return formats.map(({ id, label, extensions }) => ({ id, label, extensions }));
}
