import type { MetadataList } from '../../model/metadata-list.js';
import type { RawDeltaVision } from './parse.js';

/** Lists the fields of the header under their names in the description of the format. */
export function listMetadata(raw: RawDeltaVision, list: MetadataList): void {
  list.add('Pixel type', String(raw.mode));
  list.add('File type', String(raw.fileType));
  list.add('Lens ID', String(raw.lens));
  list.add('Image sequence', String(raw.sequence));
  list.add('Wavelengths (nm)', raw.wavelengths.slice(0, raw.waves).join(', '));
  list.add('Pixel size (µm)', raw.cell.map((value) => Number(value.toPrecision(7))).join(', '));
  list.add('Integers and floats for each section', `${raw.integers}, ${raw.floats}`);
  for (const [i, title] of raw.labels.entries()) list.add(`Title ${i + 1}`, title);
}
