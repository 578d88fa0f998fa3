import { decodeText } from '../../io/text.js';
import { childNamed, type XmlElement } from '../../io/xml.js';
import { addXml } from '../../model/metadata/flatten-xml.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { findMetadataXml } from './parse.js';
import type { CziParts } from './parts.js';

/** Lists the XML of the metadata segment: `Information/Instrument/Objectives/Objective:1/LensNA`. */
export function listMetadata({ main }: CziParts, list: MetadataList): void {
  const bytes = findMetadataXml(main);
  if (bytes) addXml(list, decodeText(bytes), { select: selectMetadata });
}

/** Returns `Metadata` with everything that is installed, used or not, at the end: it can fill the list alone. */
function selectMetadata(root: XmlElement): XmlElement | undefined {
  const metadata = root.name === 'Metadata' ? root : childNamed(root, 'Metadata');
  const isInstalled = ({ name }: XmlElement) => name === 'HardwareSetting';
  return metadata && { ...metadata, children: sortedBy(metadata.children, isInstalled) };
}

function sortedBy<T>(items: readonly T[], isLast: (item: T) => boolean): T[] {
  return [...items.filter((item) => !isLast(item)), ...items.filter(isLast)];
}
