import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import type { XmlElement } from '../../io/xml.js';
import { addXml, type XmlEntry } from '../../model/metadata/flatten-xml.js';
import type { MetadataList } from '../../model/metadata-list.js';

/** Every frame repeats the settings that may change: those of the first ones stand for all. */
const LIMITS = { Sequence: 3, Frame: 2 };

/** Lists the XML of a recording: `PVStateShard/pmtGain/PMT 1`. */
export function listMetadata(source: ByteSource, list: MetadataList): void {
  // The size was checked when the recording was opened.
  addXml(list, decodeText(source.read(0, source.size)), { limits: LIMITS, toEntry });
}

function toEntry({ name, attributes }: XmlElement): XmlEntry | undefined {
  const { key, value, index, subindex, description } = attributes;
  if (key !== undefined) return { name: key, value, hidden: ['key', 'value', 'permissions'] };
  const number = index ?? subindex;
  if (!/^(Indexed|Subindexed)Value/i.test(name) && !/^SubindexedValues$/i.test(name)) return undefined;
  return { name: description || number || name, value, hidden: ['index', 'subindex', 'value', 'description'] };
}
