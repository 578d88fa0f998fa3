import type { OlympusSettings } from '../../io/olympus-settings.js';
import { numberRepeats } from '../../model/metadata/flatten-xml.js';
import type { MetadataList } from '../../model/metadata-list.js';

/** Lists the main file, which is a stream of an OIB: `Channel 1 Parameters/AnalogPMTVoltage`. */
export function listMetadata({ blocks }: OlympusSettings, list: MetadataList): void {
  const sections = numberRepeats(blocks.map(({ name }) => name));
  for (const [i, { values }] of blocks.entries()) {
    for (const [key, value] of values) list.add(`${sections[i]}/${key}`, value);
    if (list.isFull) break;
  }
}
