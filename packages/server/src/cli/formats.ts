import { FORMATS } from '@acquisition-store/readers/formats/index.js';
import type { Format } from '@acquisition-store/readers/model/acquisition.js';
import { toTable } from './table.js';

/** Returns the output of `acqstore formats`: one line per format. */
export function formatTable(formats: readonly Format[] = FORMATS): string {
  const rows = formats.map((format) => [format.id, format.label, format.extensions.join(' ')]);
  return toTable([['id', 'format', 'extensions'], ...rows]);
}

export function formatList(formats: readonly Format[] = FORMATS): object[] {
  return formats.map(({ id, label, extensions }) => ({ id, label, extensions }));
}
