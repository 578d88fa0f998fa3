import type { ByteSource } from '../../io/byte-source.js';
import { addXml } from '../../model/metadata/flatten-xml.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { readSettingsText } from './parse.js';

/** Lists `Experiment.xml`: `LSM/pixelX`. */
export function listMetadata(source: ByteSource, list: MetadataList): void {
  addXml(list, readSettingsText(source));
}
