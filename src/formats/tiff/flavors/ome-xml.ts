import { childNamed, childrenNamed, parseXml, type XmlElement } from '../../../io/xml.js';

/** OME-XML as far as pixels and calibration go, under its own names. Schemas from 2003-FC to 2016-06. */
export interface RawOme {
  uuid: string | undefined;
  /** File that holds the metadata instead of this one. */
  metadataFile: string | undefined;
  images: RawImage[];
  /** Why the document may be incomplete. */
  errors: string[];
  complete: boolean;
}

export interface RawImage {
  name: string;
  date: string;
  pixels: RawPixels;
  /** Names of old schemas, by channel index. */
  logicalNames: (string | undefined)[];
  /** Time from line to line, which makes the image a line scan. OME-XML has no place of its own for it. */
  linePeriod: RawQuantity | undefined;
}

export interface RawPixels {
  /** `XYCZT`: fastest first. */
  order: string;
  type: string;
  /** 0 when missing or no count. */
  sizes: { X: number; Y: number; Z: number; C: number; T: number };
  /** Sizes and increments with their units; the units are never undefined. */
  physical: { X: RawQuantity; Y: RawQuantity; Z: RawQuantity; T: RawQuantity };
  channels: RawChannel[];
  tiffData: RawTiffData[];
  /** Files that `tiffData` refers to. */
  files: RawFileReference[];
  /** Times of the planes with TheC = TheZ = 0, in file order. */
  deltas: { t: number; seconds: RawQuantity }[];
  hasBinData: boolean;
}

export interface RawQuantity {
  value: number | undefined;
  unit: string;
}

export interface RawChannel {
  name: string | undefined;
  /** 0 when not stated. */
  samples: number;
  /** `Color`: red, green, blue and opacity, a byte each, as a signed integer (unsigned in the schema of 2009). */
  color: number | undefined;
  /** `IlluminationType`: `Transmitted`, `Epifluorescence`, … */
  illumination: string | undefined;
}

export interface RawTiffData {
  ifd: number;
  z: number;
  c: number;
  t: number;
  /** `undefined`: as many as there are. */
  count: number | undefined;
  /** Index into `files`; −1: the file itself. */
  file: number;
}

export interface RawFileReference {
  name: string | undefined;
  uuid: string | undefined;
}

/**
 * Namespace of the map annotation that holds the line period of a line scan, with the keys `LinePeriod` and
 * `LinePeriodUnit` (seconds without): see `docs/formats/ome-line-scans.md`.
 */
const LINE_SCAN = 'acquisition-store/line-scan';

/** Nothing in these says where pixels are or how large they are. */
const SKIPPED = new Set([
  'XMLAnnotation',
  'CustomAttributes',
  'SemanticTypeDefinitions',
  'Instrument',
  'ROI',
  'Plate',
  'Screen',
  'Experimenter',
  'Experiment',
  'Dataset',
  'Project',
  'Folder',
  'LightPath',
]);

/** Parses OME-XML; never throws. */
export function parseOme(text: string): RawOme {
  const collected = new Map<XmlElement, Collected>();
  const document = parseXml(text, {
    skip: SKIPPED,
    onElement: (element, parent) => {
      if (parent?.name === 'StructuredAnnotations') return element.attributes['Namespace'] === LINE_SCAN;
      return parent?.name === 'Pixels' ? collect(element, parent, collected) : true;
    },
  });
  const root = document.root?.name === 'OME' ? document.root : undefined;
  const notes = childNamed(root, 'StructuredAnnotations')?.children ?? [];
  return {
    uuid: root?.attributes['UUID'],
    metadataFile: childNamed(root, 'BinaryOnly')?.attributes['MetadataFile'],
    images: childrenNamed(root, 'Image').flatMap((image) => toImage(image, collected, notes)),
    errors: document.errors,
    complete: document.complete,
  };
}

/** What stands a million times in one `Pixels`, as numbers. */
interface Collected {
  tiffData: RawTiffData[];
  files: RawFileReference[];
  fileIndex: Map<string, number>;
  deltas: { t: number; seconds: RawQuantity }[];
  hasBinData: boolean;
}

function collect(element: XmlElement, pixels: XmlElement, all: Map<XmlElement, Collected>): boolean {
  let into = all.get(pixels);
  if (!into) {
    into = { tiffData: [], files: [], fileIndex: new Map(), deltas: [], hasBinData: false };
    all.set(pixels, into);
  }
  if (element.name === 'TiffData') into.tiffData.push(toTiffData(element, into));
  else if (element.name === 'Plane') collectDelta(element, into);
  else if (element.name === 'BinData') into.hasBinData = true;
  else return true;
  return false;
}

function toTiffData(element: XmlElement, into: Collected): RawTiffData {
  const { attributes } = element;
  const uuid = childNamed(element, 'UUID');
  const count = integer(attributes['PlaneCount'] ?? attributes['NumPlanes']);
  const ifd = integer(attributes['IFD']);
  return {
    ifd: ifd ?? 0,
    z: integer(attributes['FirstZ']) ?? 0,
    c: integer(attributes['FirstC']) ?? 0,
    t: integer(attributes['FirstT']) ?? 0,
    count: count ?? (ifd === undefined ? undefined : 1),
    file: uuid ? referenceIndex(uuid, into) : -1,
  };
}

function referenceIndex(element: XmlElement, into: Collected): number {
  const name = element.attributes['FileName'];
  const uuid = element.text.trim();
  if (!name && !uuid) return -1;
  const key = `${name ?? ''}\0${uuid}`;
  const known = into.fileIndex.get(key);
  if (known !== undefined) return known;
  into.files.push({ name: name || undefined, uuid: uuid || undefined });
  into.fileIndex.set(key, into.files.length - 1);
  return into.files.length - 1;
}

function collectDelta(plane: XmlElement, into: Collected): void {
  const { attributes } = plane;
  if ((integer(attributes['TheZ']) ?? 0) !== 0 || (integer(attributes['TheC']) ?? 0) !== 0) return;
  const text = attributes['DeltaT'] ?? childNamed(plane, 'PlaneTiming')?.attributes['DeltaT'];
  const value = decimal(text);
  const t = integer(attributes['TheT']);
  if (value === undefined || t === undefined) return;
  into.deltas.push({ t, seconds: { value, unit: attributes['DeltaTUnit'] ?? 's' } });
}

/** One image; `[]` when it has no pixels. Old schemas allow several `Pixels`: the default one counts. */
function toImage(image: XmlElement, collected: Map<XmlElement, Collected>, notes: XmlElement[]): RawImage[] {
  const all = childrenNamed(image, 'Pixels');
  const wanted = image.attributes['DefaultPixels'] ?? image.attributes['AcquiredPixels'];
  const pixels = all.find((one) => one.attributes['ID'] === wanted) ?? all[0];
  if (!pixels) return [];
  const dated = ['AcquisitionDate', 'AcquiredDate', 'CreationDate'].map((name) => childNamed(image, name)?.text.trim());
  return [
    {
      name: image.attributes['Name'] || image.attributes['ID'] || '',
      date: dated.find(Boolean) ?? '',
      pixels: toPixels(pixels, image, collected.get(pixels)),
      logicalNames: logicalNames(image),
      linePeriod: linePeriod(image, notes),
    },
  ];
}

/** From the line scan annotation that the image refers to. */
function linePeriod(image: XmlElement, notes: XmlElement[]): RawQuantity | undefined {
  const references = new Set(childrenNamed(image, 'AnnotationRef').map(({ attributes }) => attributes['ID']));
  const note = notes.find(({ attributes }) => references.has(attributes['ID']));
  const entries = childrenNamed(childNamed(note, 'Value'), 'M');
  const read = (key: string) => entries.find(({ attributes }) => attributes['K'] === key)?.text.trim();
  const value = decimal(read('LinePeriod'));
  return value === undefined ? undefined : { value, unit: read('LinePeriodUnit') || 's' };
}

function toPixels(element: XmlElement, image: XmlElement, collected: Collected | undefined): RawPixels {
  const { attributes } = element;
  // Schema 2003-FC keeps the sizes of a pixel at the image, under other names.
  const old = image.attributes;
  const size = (axis: string) => integer(attributes[`Size${axis}`]) ?? 0;
  const physical = (axis: string) => ({
    value: decimal(attributes[`PhysicalSize${axis}`] ?? old[`PixelSize${axis}`]),
    unit: attributes[`PhysicalSize${axis}Unit`] ?? 'µm',
  });
  return {
    order: attributes['DimensionOrder'] ?? '',
    type: attributes['Type'] ?? attributes['PixelType'] ?? '',
    sizes: { X: size('X'), Y: size('Y'), Z: size('Z'), C: size('C'), T: size('T') },
    physical: {
      X: physical('X'),
      Y: physical('Y'),
      Z: physical('Z'),
      T: {
        value: decimal(attributes['TimeIncrement'] ?? old['TimeIncrement']),
        unit: attributes['TimeIncrementUnit'] ?? 's',
      },
    },
    channels: childrenNamed(element, 'Channel').map(({ attributes: channel }) => ({
      name: channel['Name'] || channel['Fluor'],
      samples: integer(channel['SamplesPerPixel']) ?? 0,
      color: decimal(channel['Color']),
      illumination: channel['IlluminationType'],
    })),
    tiffData: collected?.tiffData ?? [],
    files: collected?.files ?? [],
    deltas: collected?.deltas ?? [],
    hasBinData: collected?.hasBinData ?? false,
  };
}

/** Channel names of schemas before 2009: `LogicalChannel` or `ChannelInfo`, whose components count the channels. */
function logicalNames(image: XmlElement): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  for (const logical of image.children.filter(({ name }) => name === 'LogicalChannel' || name === 'ChannelInfo')) {
    const name = logical.attributes['Name'] || logical.attributes['Fluor'];
    const components = Math.max(1, childrenNamed(logical, 'ChannelComponent').length);
    for (let i = 0; i < components; i++) names.push(name);
  }
  return names;
}

/** A count or an index; `undefined` for anything else. */
function integer(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*\d{1,15}\s*$/.test(text)) return undefined;
  return Number(text);
}

function decimal(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  return Number(text.trim().replace(',', '.'));
}
