/** Parses the XML into raw records of its images, under the vendor's names. */
import { childNamed, childrenNamed, parseXml, type XmlElement } from '../../io/xml.js';
import { cleanName } from '../../model/metadata/names.js';
import { parseSettings, type RawSettings } from './settings.js';

export interface RawLifChannel {
  /** 0 integer, 1 float. */
  dataType: number;
  /** Significant bits. */
  resolution: number;
  /** 1 red, 2 green, 3 blue; 0 for anything else. */
  tag: number;
  lut: string;
  /** Dye of the channel itself, which newer versions of the software write. */
  dye: string;
  bytesInc: number;
}

export interface RawLifDimension {
  id: number;
  count: number;
  origin: number;
  length: number;
  unit: string;
  bytesInc: number;
}

/** A file that contains part of an image on disk. */
export interface RawPart {
  kind: string;
  file: string;
  offset: number;
  size: number;
}

export interface RawLifImage {
  /** Names of the folders and of the image itself, without that of the project. */
  path: string[];
  /** Identifies the folder of the image: images of one folder have the same number. */
  folder: number;
  channels: RawLifChannel[];
  dimensions: RawLifDimension[];
  /** Time stamps as written: 16-digit hexadecimal numbers of 100 ns since 1601. */
  stamps: string[];
  settings: RawSettings | undefined;
  /** Bytes of pixels according to the XML. */
  memorySize: number;
  blockId: string;
  /** Files of the pixels, for images on disk. */
  parts: RawPart[];
}

export interface RawLifDocument {
  /** Name of the project, collection or image that the document describes. */
  name: string;
  images: RawLifImage[];
  /** Memory blocks that any element refers to, whether or not it is an image. */
  blockIds: Set<string>;
  /** Names of elements whose data are not a described image, such as FLIM or events. */
  otherData: string[];
  /** Files that a project refers to. */
  references: string[];
  /** Time at which the project was saved, in 100 ns since 1601; `undefined` when it is missing. */
  saved: bigint | undefined;
  /** True for the sidecar of a project, which has no images itself. */
  enhanced: boolean;
  /** Errors of the XML parser. */
  errors: string[];
  /** False when the XML ends early. */
  complete: boolean;
}

/** `DimID` in the `_Properties.xml` of exports. */
const DIM_LETTERS: Readonly<Record<string, number>> = { X: 1, Y: 2, Z: 3, T: 4 };

/** Elements that are kept; all others are dropped with their content when they end. */
const KEPT = new Set(
  (
    'LMSDataContainerHeader LMSDataContainerEnhancedHeader Element Data Image ImageDescription Channels ' +
    'ChannelDescription ChannelProperty Key Value Dimensions DimensionDescription TimeStampList TimeStamp Attachment ' +
    'Experiment Memory Children Reference Frame Block OMETiffBlock ATLConfocalSettingDefinition LDM_Block_Sequential ' +
    'LDM_Block_Sequential_List DetectorList Detector Spectro MultiBand'
  ).split(' '),
);
const SETTINGS = 'HardwareSetting';
/** Hardware of which nothing is read, half of the XML of a confocal image: the scanner does not look at the tags inside. */
const HARDWARE = new Set(['FilterWheel', 'AotfList', 'LaserArray', 'ShutterList', 'AdditionalZPositionList']);
/** Data of elements that need no warning: they are images, or contain nothing that could be shown. */
const EXPECTED_DATA = new Set([
  'Image',
  'Collection',
  'Experiment',
  'ROISet',
  'ProcessingHistory',
  'LMSDataContainerHeader',
]);

/** Parses a document. Never throws: a corrupted document gives what could be read. */
export function parseDocument(text: string): RawLifDocument {
  const stamps = new Map<XmlElement, string[]>();
  const blockIds = new Set<string>();
  const onElement = (element: XmlElement, parent: XmlElement | undefined) => {
    if (element.name === 'Memory') blockIds.add(element.attributes['MemoryBlockID'] ?? '');
    return keep(element, parent, stamps);
  };
  const xml = parseXml(text, { onElement, skip: HARDWARE });
  const raw: RawLifDocument = {
    name: '',
    images: [],
    blockIds,
    otherData: [],
    references: [],
    saved: undefined,
    enhanced: xml.root?.name === 'LMSDataContainerEnhancedHeader',
    errors: xml.errors,
    complete: xml.complete,
  };
  if (xml.root) visitElements(xml.root, raw, stamps);
  // Parts of a string keep all of it in memory, which may be 100 MB; copies do not.
  return structuredClone(raw);
}

function keep(element: XmlElement, parent: XmlElement | undefined, stamps: Map<XmlElement, string[]>): boolean {
  const { name, attributes } = element;
  if (name === 'TimeStamp' && parent?.name === 'TimeStampList') {
    // A long recording has a million time stamps, so only their values are kept.
    const list = stamps.get(parent) ?? [];
    stamps.set(parent, list);
    const value = parseStamp(element);
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

function parseStamp({ attributes }: XmlElement): bigint | undefined {
  const high = attributes['HighInteger'] ?? '';
  const low = attributes['LowInteger'] ?? '';
  return /^\d{1,10}$/.test(high) && /^\d{1,10}$/.test(low) ? (BigInt(high) << 32n) + BigInt(low) : undefined;
}

/**
 * Visits elements along `Children` only: attachments contain whole documents, whose elements are not images of this
 * file.
 */
function visitElements(root: XmlElement, raw: RawLifDocument, stamps: ReadonlyMap<XmlElement, string[]>): void {
  type Entry = { element: XmlElement; path: string[]; folder: number; project: boolean };
  const top = root.name === 'Element' ? [root] : childrenNamed(root, 'Element');
  // The XML of an image on disk may contain the description without an element around it.
  if (top.length === 0 && childNamed(root, 'Image'))
    top.push({ name: 'Element', attributes: {}, children: [wrap(root)], text: '' });
  const stack: Entry[] = top.map((element) => ({ element, path: [], folder: 0, project: true })).reverse();
  let folders = 0;
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const { element, path, folder, project } = entry;
    const list = childNamed(element, 'Children');
    const name = cleanName(element.attributes['Name']);
    const elementPath = [...path, name];
    if (project) raw.name ||= name;
    addElement(element, elementPath, folder, raw, stamps);
    raw.saved ??= parseSavedTime(element);
    for (const { attributes } of childrenNamed(list, 'Reference')) raw.references.push(attributes['File'] ?? '');
    const children = childrenNamed(list, 'Element');
    folders++;
    for (const child of children.reverse()) {
      stack.push({ element: child, path: project ? [] : elementPath, folder: folders, project: false });
    }
  }
}

function wrap(root: XmlElement): XmlElement {
  return { name: 'Data', attributes: {}, children: childrenNamed(root, 'Image'), text: '' };
}

function parseSavedTime(element: XmlElement): bigint | undefined {
  const stamp = childNamed(element, 'Data', 'Experiment', 'TimeStamp');
  return stamp && parseStamp(stamp);
}

function addElement(
  element: XmlElement,
  path: string[],
  folder: number,
  raw: RawLifDocument,
  stamps: ReadonlyMap<XmlElement, string[]>,
): void {
  const data = childNamed(element, 'Data');
  const image = childNamed(data, 'Image');
  const memory = childNamed(element, 'Memory');
  const description = childNamed(image, 'ImageDescription');
  if (!image || !description) {
    const size = parseNumber(memory?.attributes['Size']);
    const other = image ?? data?.children.find(({ name }) => !EXPECTED_DATA.has(name));
    if (other && size > 0) raw.otherData.push(`${path.at(-1) || 'unnamed'} (${cleanName(other.name)})`);
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
    memorySize: parseNumber(memory?.attributes['Size']),
    blockId: memory?.attributes['MemoryBlockID'] ?? '',
    parts: memory?.children.map(toPart) ?? [],
  });
}

function toChannel(element: XmlElement): RawLifChannel {
  const { attributes } = element;
  const dye = childrenNamed(element, 'ChannelProperty').find(
    (property) => childNamed(property, 'Key')?.text.trim() === 'DyeName',
  );
  return {
    dataType: parseNumber(attributes['DataType'], 0),
    resolution: parseNumber(attributes['Resolution']),
    tag: parseNumber(attributes['ChannelTag'], 0),
    lut: cleanName(attributes['LUTName']),
    dye: cleanName(childNamed(dye, 'Value')?.text),
    bytesInc: parseNumber(attributes['BytesInc'], 0),
  };
}

function toDimension({ attributes }: XmlElement): RawLifDimension {
  return {
    id: DIM_LETTERS[attributes['DimID'] ?? ''] ?? parseNumber(attributes['DimID']),
    count: parseNumber(attributes['NumberOfElements']),
    origin: parseNumber(attributes['Origin']),
    length: parseNumber(attributes['Length']),
    unit: cleanName(attributes['Unit']),
    bytesInc: parseNumber(attributes['BytesInc']),
  };
}

function toPart({ name, attributes }: XmlElement): RawPart {
  return {
    kind: name,
    file: attributes['File'] ?? '',
    offset: parseNumber(attributes['Offset'], 0),
    size: parseNumber(attributes['Size']),
  };
}

/** Parses a number; returns `missing` when there is no text. */
function parseNumber(text: string | undefined, missing = Number.NaN): number {
  return text === undefined || text.trim() === '' ? missing : Number(text);
}
