/** Lists the trees of a chunk file: settings of the microscope, its devices and the software. */

import { LIMITS } from '../../base/limits.js';
import { plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import type { XmlElement } from '../../io/xml.js';
import { addText } from '../../model/metadata/flatten-text.js';
import { addXml, numberRepeats, type XmlEntry } from '../../model/metadata/flatten-xml.js';
import { addReadable } from '../../model/metadata/readable.js';
import type { MetadataList } from '../../model/metadata-list.js';
import type { ChunkIndex } from './index-map.js';
import { readBoxPayload } from './legacy-boxes.js';
import { readWholeTree } from './parse.js';
import { unwrap, VariantLevel, type VariantValue } from './variant.js';

/** Items of one list that are listed. */
const MAX_ITEMS = 100;
/** Chunks of a frame have its number in their names; those of the first frame stand for all. */
const LATER_FRAME = /\|[1-9]\d*!$/;
/** Chunks with trees. Those with numbers for each frame (`CustomData|…`) and with pixels are not listed. */
const TREE = /^(Image(?!DataSeq)|CustomDataVar\|)/;

/** `ImageMetadataSeq/sPicturePlanes/sPlaneNew/a0/sDescription`, in the order of the chunks in the file. */
export async function listMetadata(source: ByteSource, index: ChunkIndex, list: MetadataList): Promise<void> {
  const chunks = [...index.named].filter(([name]) => TREE.test(name) && !LATER_FRAME.test(name));
  chunks.sort(([, a], [, b]) => a - b);
  for (const [chunk] of chunks) {
    if (list.isFull) break;
    const name = chunk.replace(/(LV)?(\|0)?!$/, '').replace(/^CustomDataVar\|/, '');
    await addReadable(list, name, () => {
      const tree = readWholeTree(source, index, chunk);
      if (tree) addLevel(list, name, unwrap(tree, tree.entries[0]?.name ?? ''));
    });
  }
}

/** Boxes with trees as XML: of the first frame, of the calibration, and of all that is written as text. */
const BOXES = ['VIMD', 'VCAL', 'TINF'];

/** Lists the XML of a JPEG 2000 file: `VIMD/sObjectiveName`. Names start with the type of their box. */
export async function listLegacyMetadata(
  source: ByteSource,
  boxes: ReadonlyMap<string, readonly number[]>,
  list: MetadataList,
): Promise<void> {
  for (const type of BOXES) {
    const offset = boxes.get(type)?.[0];
    if (offset === undefined) continue;
    await addReadable(list, type, () => {
      const text = decodeText(readBoxPayload(source, offset, LIMITS.sidecarBytes));
      addXml(list, text, { prefix: type, select: withoutWrapper, toEntry });
    });
  }
}

function withoutWrapper(root: XmlElement): XmlElement {
  const [only] = root.children;
  return only && root.children.length === 1 && only.children.length > 0 ? only : root;
}

function toEntry({ name, attributes }: XmlElement): XmlEntry | undefined {
  const { runtype, value, Index, Text } = attributes;
  if (Text !== undefined) return { name: `${name}_${Index ?? ''}`, value: Text, hidden: ['Index', 'Text'] };
  return runtype === undefined ? undefined : { name, value, hidden: ['runtype', 'value'] };
}

function addLevel(list: MetadataList, path: string, { entries }: VariantLevel): void {
  // Items of a list have no names.
  const names = numberRepeats(entries.map(({ name }) => name || 'item'));
  for (const [i, { value }] of entries.slice(0, MAX_ITEMS).entries()) addValue(list, `${path}/${names[i]}`, value);
  const rest = entries.length - MAX_ITEMS;
  if (rest > 0) list.add(`${path}/…`, '', `${plural(rest, 'more value')}`);
}

function addValue(list: MetadataList, path: string, value: VariantValue): void {
  if (list.isFull) return;
  if (value instanceof VariantLevel) addLevel(list, path, value);
  else if (value instanceof Uint8Array) list.add(path, '', plural(value.length, 'byte'));
  else if (typeof value === 'string') addText(list, path, value);
  else list.add(path, String(value));
}
