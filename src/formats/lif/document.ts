/** The XML: its images with what is needed of each, under the vendor's names. */
import { childNamed, childrenNamed, parseXml, type XmlElement } from '../../io/xml.js';
import { cleanName } from '../../metadata/names.js';
import { parseSettings, type RawSettings } from './settings.js';

export interface RawChannel {
  /** 0 integer, 1 float. */
  dataType: number;
  /** Significant bits. */
  resolution: number;
  /** 1 red, 2 green, 3 blue; 0 for anything else. */
  tag: number;
  lut: string;
  /** Dye that the channel itself names; newer versions of the software. */
  dye: string;
  bytesInc: number;
}

export interface RawDimension {
  id: number;
  count: number;
  origin: number;
  length: number;
  unit: string;
  bytesInc: number;
}

/** One file that holds a part of an image, in the XML of an image on disk. */
export interface RawPart {
  kind: string;
  file: string;
  offset: number;
  size: number;
}

export interface RawImage {
  /** Names of the folders and of the image itself; without that of the project. */
  path: string[];
  /** Which folder the image lies in. */
  folder: number;
  channels: RawChannel[];
  dimensions: RawDimension[];
  /** Time stamps as written: 16-digit hexadecimal numbers of 100 ns since 1601. */
  stamps: string[];
  settings: RawSettings | undefined;
  /** Bytes that the XML announces. */
  memorySize: number;
  blockId: string;
  /** Files of the pixels, for images on disk. */
  parts: RawPart[];
}

export interface RawDocument {
  /** Name of the project, collection or image that the document is. */
  name: string;
  images: RawImage[];
  /** Memory blocks that any element refers to, images or not. */
  blockIds: Set<string>;
  /** Names of elements with data that are no image that is described: FLIM, events. */
  others: string[];
  /** Files that a project refers to. */
  references: string[];
  /** Time of the project in 100 ns since 1601; undefined when it is not written. */
  saved: bigint | undefined;
  /** True for the sidecar of a project, which holds no images of its own. */
  enhanced: boolean;
  errors: string[];
  complete: boolean;
}

/** Elements that are kept; all others, and what is in them, are dropped as they end. */
const KEPT = new Set(
  (
    'LMSDataContainerHeader LMSDataContainerEnhancedHeader Element Data Image ImageDescription Channels ' +
    'ChannelDescription ChannelProperty Key Value Dimensions DimensionDescription TimeStampList TimeStamp Attachment ' +
    'Experiment Memory Children Reference Frame Block OMETiffBlock ATLConfocalSettingDefinition LDM_Block_Sequential ' +
    'LDM_Block_Sequential_List DetectorList Detector Spectro MultiBand'
  ).split(' '),
);
const SETTINGS = 'HardwareSetting';
/** Data of an element that is no image and no folder, but nothing to miss either. */
const PLAIN_DATA = new Set([
  'Image',
  'Collection',
  'Experiment',
  'ROISet',
  'ProcessingHistory',
  'LMSDataContainerHeader',
]);

/** Never throws: a damaged document gives what could be read. */
export function parseDocument(text: string): RawDocument {
  const stamps = new Map<XmlElement, string[]>();
  const blockIds = new Set<string>();
  const onElement = (element: XmlElement, parent: XmlElement | undefined) => {
    if (element.name === 'Memory') blockIds.add(element.attributes['MemoryBlockID'] ?? '');
    return keep(element, parent, stamps);
  };
  const xml = parseXml(text, { onElement });
  const raw: RawDocument = {
    name: '',
    images: [],
    blockIds,
    others: [],
    references: [],
    saved: undefined,
    enhanced: xml.root?.name === 'LMSDataContainerEnhancedHeader',
    errors: xml.errors,
    complete: xml.complete,
  };
  if (xml.root) walk(xml.root, raw, stamps);
  // Texts cut out of a document keep all of it in memory, which may be 100 MB: copies do not.
  return structuredClone(raw);
}

function keep(element: XmlElement, parent: XmlElement | undefined, stamps: Map<XmlElement, string[]>): boolean {
  const { name, attributes } = element;
  if (name === 'TimeStamp' && parent?.name === 'TimeStampList') {
    // A long recording has a million of them: only their values stay.
    const list = stamps.get(parent) ?? [];
    stamps.set(parent, list);
    const value = stampOf(element);
    if (value !== undefined) list.push(value.toString(16));
    return false;
  }
  if (parent?.name === 'Data' && !KEPT.has(name)) {
    element.children.length = 0;
    return true;
  }
  if (name === 'Attachment') return attributes['Name'] === SETTINGS;
  return KEPT.has(name);
}

function stampOf({ attributes }: XmlElement): bigint | undefined {
  const high = attributes['HighInteger'] ?? '';
  const low = attributes['LowInteger'] ?? '';
  return /^\d{1,10}$/.test(high) && /^\d{1,10}$/.test(low) ? (BigInt(high) << 32n) + BigInt(low) : undefined;
}

/**
 * Elements by way of `Children` alone: attachments hold whole documents of their own, whose elements are no images of
 * this file.
 */
function walk(root: XmlElement, raw: RawDocument, stamps: ReadonlyMap<XmlElement, string[]>): void {
  type Place = { element: XmlElement; path: string[]; folder: number; project: boolean };
  const top = root.name === 'Element' ? [root] : childrenNamed(root, 'Element');
  // An image file may hold the description without any element around it.
  if (top.length === 0 && childNamed(root, 'Image'))
    top.push({ name: 'Element', attributes: {}, children: [wrap(root)], text: '' });
  const stack: Place[] = top.map((element) => ({ element, path: [], folder: 0, project: true })).reverse();
  let folders = 0;
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { element, path, folder, project } = place;
    const inside = childNamed(element, 'Children');
    const name = cleanName(element.attributes['Name']);
    const own = [...path, name];
    if (project) raw.name ||= name;
    addElement(element, own, folder, raw, stamps);
    raw.saved ??= savedTime(element);
    for (const { attributes } of childrenNamed(inside, 'Reference')) raw.references.push(attributes['File'] ?? '');
    const children = childrenNamed(inside, 'Element');
    folders++;
    for (const child of children.reverse()) {
      stack.push({ element: child, path: project ? [] : own, folder: folders, project: false });
    }
  }
}

function wrap(root: XmlElement): XmlElement {
  return { name: 'Data', attributes: {}, children: childrenNamed(root, 'Image'), text: '' };
}

function savedTime(element: XmlElement): bigint | undefined {
  const stamp = childNamed(element, 'Data', 'Experiment', 'TimeStamp');
  return stamp && stampOf(stamp);
}

function addElement(
  element: XmlElement,
  path: string[],
  folder: number,
  raw: RawDocument,
  stamps: ReadonlyMap<XmlElement, string[]>,
): void {
  const data = childNamed(element, 'Data');
  const image = childNamed(data, 'Image');
  const memory = childNamed(element, 'Memory');
  const description = childNamed(image, 'ImageDescription');
  if (!image || !description) {
    const size = numberOf(memory?.attributes['Size']);
    const other = image ?? data?.children.find(({ name }) => !PLAIN_DATA.has(name));
    if (other && size > 0) raw.others.push(`${path.at(-1) || 'unnamed'} (${cleanName(other.name)})`);
    return;
  }
  const list = childNamed(image, 'TimeStampList');
  const attached = childrenNamed(image, 'Attachment');
  raw.images.push({
    path,
    folder,
    channels: childrenNamed(childNamed(description, 'Channels'), 'ChannelDescription').map(toChannel),
    dimensions: childrenNamed(childNamed(description, 'Dimensions'), 'DimensionDescription').map(toDimension),
    stamps: (list && stamps.get(list)) ?? list?.text.match(/[0-9a-f]+/gi) ?? [],
    settings: parseSettings(attached),
    memorySize: numberOf(memory?.attributes['Size']),
    blockId: memory?.attributes['MemoryBlockID'] ?? '',
    parts: memory?.children.map(toPart) ?? [],
  });
}

function toChannel(element: XmlElement): RawChannel {
  const { attributes } = element;
  const dye = childrenNamed(element, 'ChannelProperty').find(
    (one) => childNamed(one, 'Key')?.text.trim() === 'DyeName',
  );
  return {
    dataType: numberOf(attributes['DataType'], 0),
    resolution: numberOf(attributes['Resolution']),
    tag: numberOf(attributes['ChannelTag'], 0),
    lut: cleanName(attributes['LUTName']),
    dye: cleanName(childNamed(dye, 'Value')?.text),
    bytesInc: numberOf(attributes['BytesInc'], 0),
  };
}

function toDimension({ attributes }: XmlElement): RawDimension {
  return {
    id: numberOf(attributes['DimID']),
    count: numberOf(attributes['NumberOfElements']),
    origin: numberOf(attributes['Origin']),
    length: numberOf(attributes['Length']),
    unit: cleanName(attributes['Unit']),
    bytesInc: numberOf(attributes['BytesInc']),
  };
}

function toPart({ name, attributes }: XmlElement): RawPart {
  return {
    kind: name,
    file: attributes['File'] ?? '',
    offset: numberOf(attributes['Offset'], 0),
    size: numberOf(attributes['Size']),
  };
}

/** NaN, or `missing`, when there is no number. */
export function numberOf(text: string | undefined, missing = Number.NaN): number {
  return text === undefined || text.trim() === '' ? missing : Number(text);
}
