/** Lists the XML of one image: `Attachment/HardwareSetting/ATLConfocalSettingDefinition/Zoom`. */

import { LIMITS } from '../../base/limits.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import { childNamed, childrenNamed, type XmlElement } from '../../io/xml.js';
import { addXml, type XmlEntry } from '../../model/metadata/flatten-xml.js';
import type { MetadataList } from '../../model/metadata-list.js';
import { readTextBlock } from './blocks.js';
import { readLof } from './lof.js';
import { isContainer } from './magic.js';

/** Elements that a long recording repeats for each time point. */
const REPEATED = { TimeStamp: 1, Block: 1, Frame: 1 };

/**
 * @param source the opened file; that of a project on disk only refers to the files of its images
 * @param blockId memory block of the image, by which it is found
 */
export function listMetadata(source: ByteSource, blockId: string, list: MetadataList): void {
  const isImage = (element: XmlElement) => childNamed(element, 'Memory')?.attributes['MemoryBlockID'] === blockId;
  // Other images are left out as soon as they end: a file may have thousands, each with thousands of settings.
  const isListed = (element: XmlElement) =>
    element.name !== 'Element' || isImage(element) || childNamed(element, 'Children', 'Element') !== undefined;
  const select = (root: XmlElement) => {
    const image = findElement(root, isImage);
    return childNamed(image, 'Data', 'Image') ?? image ?? root;
  };
  addXml(list, readXml(source), { limits: REPEATED, isListed, select, toEntry });
}

function readXml(source: ByteSource): string {
  if (!isContainer(source.read(0, Math.min(16, source.size)))) {
    return decodeText(source.read(0, Math.min(source.size, LIMITS.metadataBytes)));
  }
  const { text } = readTextBlock(source, 0);
  return text === 'LMS_Object_File' ? readLof(source).xml : text;
}

function findElement(root: XmlElement, isImage: (element: XmlElement) => boolean): XmlElement | undefined {
  const stack = [...childrenNamed(root, 'Element')];
  for (let element = stack.pop(); element; element = stack.pop()) {
    if (isImage(element)) return element;
    stack.push(...childrenNamed(childNamed(element, 'Children'), 'Element'));
  }
  return undefined;
}

function toEntry({ name, attributes }: XmlElement): XmlEntry | undefined {
  const { Identifier, ObjectName, Attribute, Variant, Name } = attributes;
  const hidden = ['Variant', 'VariantType', 'Identifier', 'ObjectName', 'Attribute'];
  if (name === 'ScannerSettingRecord' && Identifier) return { name: Identifier, value: Variant, hidden };
  if (name === 'FilterSettingRecord' && ObjectName)
    return { name: `${ObjectName}/${Attribute ?? ''}`, value: Variant, hidden };
  return name === 'Attachment' && Name ? { name: Name, hidden: ['Name'] } : undefined;
}
