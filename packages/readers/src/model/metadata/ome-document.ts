import { childNamed, childrenNamed, parseXml, type XmlElement } from '../../io/xml.js';
import { BLOCK_NUMBER } from '../../io/xml-blocks.js';
import type { ChannelOptics, SceneInfo } from '../acquisition.js';
import { type ChannelDisplay, rgbColor } from './colors.js';
import { isIsoDateTime } from './dates.js';
import { type FoundInstrument, type FoundOptics, toInstrument, toOptics } from './instrument.js';
import type { GridAxis } from './mixed-radix.js';
import { findInstruments, type OmeInstruments, readOmeInstrument, readOmeOptics } from './ome-instrument.js';
import { LINE_SCAN_NAMESPACE } from './ome-line-scan.js';
import { planeValue } from './ome-plane-value.js';
import { OmePlanes } from './ome-planes.js';

/** The parts of OME-XML that describe pixels and calibration, by their own names. Schemas from 2003-FC to 2016-06. */
export interface RawOme {
  uuid: string | undefined;
  /** File with the metadata, if they are not in this one. */
  metadataFile: string | undefined;
  images: RawOmeImage[];
  /** Why the document may be incomplete. */
  errors: string[];
  complete: boolean;
}

export interface RawOmeImage {
  /** Its ID when it has no name of its own. */
  name: string;
  isNamed: boolean;
  date: string;
  pixels: RawPixels;
  /** Names of old schemas, by channel index. */
  logicalNames: (string | undefined)[];
  /** Time from line to line, for a line scan. OME-XML has no standard element for it. */
  linePeriod: RawQuantity | undefined;
  instrument: FoundInstrument;
}

export interface RawPixels {
  /** `XYCZT`: fastest first. */
  order: string;
  type: string;
  /** 0 if missing or invalid. */
  sizes: { X: number; Y: number; Z: number; C: number; T: number };
  /** Sizes and increments with their units, which are never undefined. */
  physical: { X: RawQuantity; Y: RawQuantity; Z: RawQuantity; T: RawQuantity };
  channels: RawOmeChannel[];
  tiffData: RawTiffData[];
  /** Files to which `tiffData` refers. */
  files: RawFileReference[];
  /** Times and depths of the planes. */
  planes: OmePlanes;
  /** Pixels inside the XML, in the order of the document. */
  binData: RawBinData[];
  /** `undefined` where it is not said. */
  bigEndian: boolean | undefined;
  interleaved: boolean;
  /** Exposure times of the planes with TheT = TheZ = 0, by channel, in file order; in seconds. */
  exposures: { c: number; seconds: number }[];
  /** Position of the first plane in µm. */
  stage: { x: number | undefined; y: number | undefined; z: number | undefined } | undefined;
  /** Index among all `Pixels` of the document. */
  number: number;
  /** The image says when the acquisition began, from which the times of planes count. */
  isDated: boolean;
  /** Numbers of the first plane, when its file counts from others than 0. */
  first: { C: number; Z: number; T: number };
}

export interface RawBinData {
  /** Number of the block that was cut out of the document, if it was. */
  block: number | undefined;
  /** `none`, `zlib`, `bzip2`, … */
  compression: string;
  bigEndian: boolean | undefined;
}

export interface RawQuantity {
  value: number | undefined;
  unit: string;
}

export interface RawOmeChannel {
  name: string | undefined;
  /** 0 if missing. */
  samples: number;
  /** Red, green, blue and opacity, one byte each, as a signed integer (unsigned in the schema of 2009). */
  color: number | undefined;
  /** `IlluminationType`: `Transmitted`, `Epifluorescence`, … */
  illumination: string | undefined;
  optics: FoundOptics;
}

export interface RawTiffData {
  ifd: number;
  z: number;
  c: number;
  t: number;
  /** `undefined` for all remaining planes. */
  count: number | undefined;
  /** Index into `files`; −1 for the file itself. */
  file: number;
}

export interface RawFileReference {
  name: string | undefined;
  uuid: string | undefined;
}

/** Elements that contain nothing about the location or size of pixels. */
const SKIPPED = new Set([
  'XMLAnnotation',
  'CustomAttributes',
  'SemanticTypeDefinitions',
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

/** Parses OME-XML. Never throws. */
export function parseOme(text: string): RawOme {
  const collected = new Map<XmlElement, Collected>();
  const numbers = new Map<XmlElement, number>();
  const document = parseXml(text, {
    skip: SKIPPED,
    onElement: (element, parent) => {
      if (element.name === 'Pixels') numbers.set(element, numbers.size);
      if (parent?.name === 'StructuredAnnotations') return element.attributes['Namespace'] === LINE_SCAN_NAMESPACE;
      return parent?.name === 'Pixels' ? collect(element, parent, collected) : true;
    },
  });
  const root = document.root?.name === 'OME' ? document.root : undefined;
  const notes = childNamed(root, 'StructuredAnnotations')?.children ?? [];
  const instruments = findInstruments(root);
  return {
    uuid: root?.attributes['UUID'],
    metadataFile: childNamed(root, 'BinaryOnly')?.attributes['MetadataFile'],
    images: childrenNamed(root, 'Image').flatMap((image) => toImage(image, { instruments, collected, numbers, notes })),
    errors: document.errors,
    complete: document.complete,
  };
}

/** Child elements that occur up to a million times in one `Pixels`, as numbers instead of elements. */
interface Collected {
  tiffData: RawTiffData[];
  files: RawFileReference[];
  fileIndex: Map<string, number>;
  planes: OmePlanes;
  binData: RawBinData[];
  exposures: RawPixels['exposures'];
  stage: RawPixels['stage'];
}

function collect(element: XmlElement, pixels: XmlElement, all: Map<XmlElement, Collected>): boolean {
  let into = all.get(pixels);
  if (!into) {
    into = {
      tiffData: [],
      files: [],
      fileIndex: new Map(),
      planes: new OmePlanes(),
      binData: [],
      exposures: [],
      stage: undefined,
    };
    all.set(pixels, into);
  }
  if (element.name === 'TiffData') collectTiffData(element, into);
  else if (element.name === 'Plane') collectPlane(element, into);
  else if (element.name === 'BinData') into.binData.push(toBinData(element));
  else return true;
  return false;
}

function toBinData({ attributes }: XmlElement): RawBinData {
  return {
    block: parseInteger(attributes[BLOCK_NUMBER]),
    compression: (attributes['Compression'] ?? 'none').toLowerCase(),
    bigEndian: parseBoolean(attributes['BigEndian']),
  };
}

function collectTiffData(element: XmlElement, into: Collected): void {
  const { attributes } = element;
  const uuid = childNamed(element, 'UUID');
  const count = parseInteger(attributes['PlaneCount'] ?? attributes['NumPlanes']);
  const ifd = parseInteger(attributes['IFD']);
  into.tiffData.push({
    ifd: ifd ?? 0,
    z: parseInteger(attributes['FirstZ']) ?? 0,
    c: parseInteger(attributes['FirstC']) ?? 0,
    t: parseInteger(attributes['FirstT']) ?? 0,
    count: count ?? (ifd === undefined ? undefined : 1),
    file: uuid ? collectFile(uuid, into) : -1,
  });
}

/** Adds a reference to the files unless it is there, and returns its index; −1 for an empty reference. */
function collectFile(element: XmlElement, into: Collected): number {
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

function collectPlane(plane: XmlElement, into: Collected): void {
  const index = (name: string) => parseInteger(plane.attributes[name]);
  const isFirst = (name: string) => (index(name) ?? 0) === 0;
  if (isFirst('TheT') && isFirst('TheZ')) {
    const seconds = planeValue(plane, 'exposure');
    if (seconds !== undefined) into.exposures.push({ c: index('TheC') ?? 0, seconds });
    into.stage ??= { x: planeValue(plane, 'x'), y: planeValue(plane, 'y'), z: planeValue(plane, 'z') };
  }
  into.planes.add(plane);
}

/** What was found in the whole document. */
interface ParsedOme {
  instruments: OmeInstruments;
  collected: Map<XmlElement, Collected>;
  numbers: Map<XmlElement, number>;
  notes: XmlElement[];
}

/** Returns one image, or none if it has no pixels. Old schemas allow several `Pixels`; the default one counts. */
function toImage(image: XmlElement, { instruments, collected, numbers, notes }: ParsedOme): RawOmeImage[] {
  const candidates = childrenNamed(image, 'Pixels');
  const defaultId = image.attributes['DefaultPixels'] ?? image.attributes['AcquiredPixels'];
  const pixels = candidates.find(({ attributes }) => attributes['ID'] === defaultId) ?? candidates[0];
  if (!pixels) return [];
  const dates = ['AcquisitionDate', 'AcquiredDate', 'CreationDate'].map((name) => childNamed(image, name)?.text.trim());
  return [
    {
      name: image.attributes['Name'] || image.attributes['ID'] || '',
      isNamed: Boolean(image.attributes['Name']),
      date: dates.find(Boolean) ?? '',
      pixels: {
        ...toPixels(pixels, image, collected.get(pixels)),
        channels: childrenNamed(pixels, 'Channel').map((channel) => toChannel(channel, image, instruments)),
        number: numbers.get(pixels) ?? 0,
        isDated: Boolean(dates[0]),
      },
      logicalNames: readLogicalNames(image),
      linePeriod: readLinePeriod(image, notes),
      // `CreationDate` is that of the file.
      instrument: { ...readOmeInstrument(image, instruments), start: dates.slice(0, 2).find(isIsoDateTime) },
    },
  ];
}

/** Reads the line scan annotation to which the image refers. */
function readLinePeriod(image: XmlElement, notes: XmlElement[]): RawQuantity | undefined {
  const references = new Set(childrenNamed(image, 'AnnotationRef').map(({ attributes }) => attributes['ID']));
  const note = notes.find(({ attributes }) => references.has(attributes['ID']));
  const entries = childrenNamed(childNamed(note, 'Value'), 'M');
  const read = (key: string) => entries.find(({ attributes }) => attributes['K'] === key)?.text.trim();
  const value = parseDecimal(read('LinePeriod'));
  return value === undefined ? undefined : { value, unit: read('LinePeriodUnit') || 's' };
}

function toPixels(
  element: XmlElement,
  image: XmlElement,
  collected: Collected | undefined,
): Omit<RawPixels, 'channels' | 'number' | 'isDated'> {
  const { attributes } = element;
  // Schema 2003-FC has the pixel size in the image, under other names.
  const old = image.attributes;
  const size = (axis: string) => parseInteger(attributes[`Size${axis}`]) ?? 0;
  const physical = (axis: string) => ({
    value: parseDecimal(attributes[`PhysicalSize${axis}`] ?? old[`PixelSize${axis}`]),
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
        value: parseDecimal(attributes['TimeIncrement'] ?? old['TimeIncrement']),
        unit: attributes['TimeIncrementUnit'] ?? 's',
      },
    },
    tiffData: collected?.tiffData ?? [],
    files: collected?.files ?? [],
    planes: collected?.planes ?? new OmePlanes(),
    binData: collected?.binData ?? [],
    bigEndian: parseBoolean(attributes['BigEndian']),
    interleaved: parseBoolean(attributes['Interleaved']) ?? false,
    exposures: collected?.exposures ?? [],
    stage: collected?.stage,
    first: { C: 0, Z: 0, T: 0 },
  };
}

function toChannel(element: XmlElement, image: XmlElement, instruments: OmeInstruments): RawOmeChannel {
  const { attributes } = element;
  return {
    name: attributes['Name'] || attributes['Fluor'],
    samples: parseInteger(attributes['SamplesPerPixel']) ?? 0,
    color: parseDecimal(attributes['Color']),
    illumination: attributes['IlluminationType'],
    optics: readOmeOptics(element, image, instruments),
  };
}

/** Reads the channel names of schemas before 2009: `LogicalChannel` or `ChannelInfo`, one channel per component. */
function readLogicalNames(image: XmlElement): (string | undefined)[] {
  const names: (string | undefined)[] = [];
  for (const logical of image.children.filter(({ name }) => name === 'LogicalChannel' || name === 'ChannelInfo')) {
    const name = logical.attributes['Name'] || logical.attributes['Fluor'];
    const components = Math.max(1, childrenNamed(logical, 'ChannelComponent').length);
    for (let i = 0; i < components; i++) names.push(name);
  }
  return names;
}

/** Old files write `t` and `f`. */
function parseBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  return /^\s*(true|t|1)\s*$/i.test(text) || (/^\s*(false|f|0)\s*$/i.test(text) ? false : undefined);
}

/** Parses a count or an index; returns `undefined` for anything else. */
function parseInteger(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*\d{1,15}\s*$/.test(text)) return undefined;
  return Number(text);
}

function parseDecimal(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  return Number(text.trim().replace(',', '.'));
}

/** Returns the three axes of planes of a DimensionOrder, fastest first, or `undefined` if it is invalid. */
export function planeAxes(order: string, sizes: { C: number; Z: number; T: number }): GridAxis[] | undefined {
  const match = /^XY([ZCT])([ZCT])([ZCT])$/.exec(order.trim().toUpperCase());
  if (!match || new Set(match.slice(1)).size !== 3) return undefined;
  const kinds = match.slice(1) as ('Z' | 'C' | 'T')[];
  return kinds.map((kind) => ({ kind, size: sizes[kind] }));
}

/** Returns who took an image, and with what. */
export function omeInstrument({ instrument, pixels }: RawOmeImage): Pick<SceneInfo, 'instrument'> {
  return toInstrument({ ...instrument, stage: pixels.stage });
}

/** Returns the light and the detector of each channel that has planes of its own. */
export function omeOptics({ pixels }: RawOmeImage, channels: number): ChannelOptics[] {
  return Array.from({ length: channels }, (_, c) => {
    const exposure = pixels.exposures.find((plane) => plane.c - pixels.first.C === c);
    const own = pixels.channels.length === channels ? pixels.channels[c]?.optics : undefined;
    return toOptics({ ...own, exposureSeconds: exposure?.seconds });
  });
}

/** Returns the color and role of a channel. */
export function omeDisplay({ color, illumination }: RawOmeChannel): ChannelDisplay {
  return { color: toColor(color), role: illumination === 'Transmitted' ? 'transmitted' : undefined };
}

/**
 * Converts `RRGGBBAA`. Fully transparent values are not colors. One of them is the default of the schemas of 2010 and
 * 2011, -2147483648, which was meant to be white and is transparent red.
 */
function toColor(value: number | undefined): string | undefined {
  if (value === undefined || !Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32) return undefined;
  if ((value & 255) === 0) return undefined;
  return rgbColor((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255);
}
