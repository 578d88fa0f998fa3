import type { MetadataList } from '../../model/metadata-list.js';
import type { RawMrc } from './parse.js';

/** Lists the fields of the header under their names in the description of the format. */
export function listMetadata(raw: RawMrc, list: MetadataList): void {
  list.add('MODE', String(raw.mode));
  list.add('MX, MY, MZ', raw.intervals.join(', '));
  list.add('CELLA (Å)', raw.cell.map((value) => Number(value.toPrecision(7))).join(', '));
  list.add('MAPC, MAPR, MAPS', raw.axes.map((axis) => axis + 1).join(', '));
  list.add('ISPG', String(raw.spaceGroup));
  if (raw.extendedType !== '') list.add('EXTTYP', raw.extendedType);
  for (const [i, label] of raw.labels.entries()) list.add(`LABEL ${i + 1}`, label);
}
