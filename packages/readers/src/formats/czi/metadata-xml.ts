/** Parses the XML of the metadata segment into the few values that are needed, under the vendor's names. */
import { decodeText } from '../../io/text.js';
import { allElements, childNamed, childrenNamed, parseXml, type XmlElement } from '../../io/xml.js';
import { parseOptics, type RawCziOptics } from './instrument.js';

export interface RawMetadata {
  /** `Scaling/Items/Distance`, m. */
  distances: { X?: number; Y?: number; Z?: number };
  /** First `ScalingX` … of the acquisition modes, m. */
  scaling: { X?: number; Y?: number; Z?: number };
  acquisitionDate: string;
  creationDate: string;
  /** By index along C. */
  channels: RawCziChannel[];
  display: RawDisplay[];
  sceneNames: Map<number, string>;
  /** `T/StartTime`: when the first time point began. */
  timeStart: string;
  /** `T/Positions/List/Offsets`, s. */
  timeOffsets: number[];
  /** `T/Positions/Interval/Increment`, s. */
  timeIncrement: number | undefined;
  /** Configured interval, s. */
  timeSpan: number | undefined;
  /** `LaserScanInfo/FrameTime` of a line scan, s. */
  lineFrameTime: number | undefined;
  /** `Z/Positions/Interval/Increment`, µm. */
  depthIncrement: number | undefined;
  /** `Z/Positions/List/Offsets`, µm, by index along Z. */
  depthOffsets: number[];
  optics: RawCziOptics;
  /** Why parts of the document could not be read. */
  errors: string[];
}

export interface RawCziChannel {
  id: string;
  name: string;
  /** `#AARRGGBB`, or empty. */
  color: string;
  /** `IlluminationType`: `Epifluorescence`, `Transmitted`, … */
  illumination: string;
}

/** `DisplaySetting` of a channel. */
export interface RawDisplay extends RawCziChannel {
  /** Black and white as fractions of the largest value of the pixel type. */
  low: number | undefined;
  high: number | undefined;
  pixelType: string;
}

/** Elements that contain nothing of use; some take up most of the document. */
const SKIPPED = new Set(['HardwareSetting', 'CustomAttributes', 'ImageScaling', 'Layers', 'Appliances', 'Attachments']);
/** Time offsets that are read. */
const MAX_OFFSETS = 2_000_000;

/** Parses the document; without one, all values are empty. Never throws. */
export function parseMetadata(bytes: Uint8Array | undefined): RawMetadata {
  const document = bytes && parseXml(decodeText(bytes), { skip: SKIPPED });
  const metadata = document?.root?.name === 'Metadata' ? document.root : childNamed(document?.root, 'Metadata');
  const image = childNamed(metadata, 'Information', 'Image');
  const dimensions = childNamed(image, 'Dimensions');
  const errors = document && !metadata ? ['the element `Metadata` is missing'] : (document?.errors ?? []);
  return {
    distances: parseDistances(childNamed(metadata, 'Scaling', 'Items')),
    ...findSettings(metadata, dimensions),
    acquisitionDate: childNamed(image, 'AcquisitionDateAndTime')?.text ?? '',
    creationDate: childNamed(metadata, 'Information', 'Document', 'CreationDate')?.text ?? '',
    channels: childrenNamed(childNamed(dimensions, 'Channels'), 'Channel').map(parseChannel),
    display: childrenNamed(childNamed(metadata, 'DisplaySetting', 'Channels'), 'Channel').map(parseDisplay),
    sceneNames: parseSceneNames(childNamed(dimensions, 'S', 'Scenes')),
    timeStart: childNamed(dimensions, 'T', 'StartTime')?.text.trim() ?? '',
    timeOffsets: parseNumbers(childNamed(dimensions, 'T', 'Positions', 'List', 'Offsets')?.text),
    timeIncrement: parsePositive(childNamed(dimensions, 'T', 'Positions', 'Interval', 'Increment')?.text),
    depthIncrement: parsePositive(childNamed(dimensions, 'Z', 'Positions', 'Interval', 'Increment')?.text),
    depthOffsets: parseNumbers(childNamed(dimensions, 'Z', 'Positions', 'List', 'Offsets')?.text),
    optics: parseOptics(childNamed(metadata, 'Information')),
    errors,
  };
}

/** Parses a number in any notation of the vendor, such as `3.5297956068988698e-008`. */
function parsePositive(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function parseNumbers(text: string | undefined): number[] {
  if (!text?.trim()) return [];
  const values = text.trim().split(/\s+/, MAX_OFFSETS).map(Number);
  return values.every(Number.isFinite) ? values : [];
}

function parseDistances(items: XmlElement | undefined): RawMetadata['distances'] {
  const distances: RawMetadata['distances'] = {};
  for (const distance of childrenNamed(items, 'Distance')) {
    const id = distance.attributes['Id'];
    const value = parsePositive(childNamed(distance, 'Value')?.text);
    if ((id === 'X' || id === 'Y' || id === 'Z') && value !== undefined) distances[id] = value;
  }
  return distances;
}

/** Finds the first of each setting, at any depth of the document. */
function findSettings(metadata: XmlElement | undefined, dimensions: XmlElement | undefined) {
  const scaling: RawMetadata['scaling'] = {};
  let timeSpan: number | undefined;
  for (const element of allElements(childNamed(metadata, 'Experiment'))) {
    const axis = /^Scaling([XYZ])$/.exec(element.name)?.[1] as 'X' | 'Y' | 'Z' | undefined;
    const value = axis && parsePositive(element.text);
    if (axis && value !== undefined) scaling[axis] ??= value;
    if (element.name === 'Interval') timeSpan ??= parseTimeSpan(childNamed(element, 'TimeSpan'));
  }
  let lineFrameTime: number | undefined;
  for (const element of allElements(childNamed(dimensions, 'Channels'))) {
    if (element.name !== 'LaserScanInfo' || !/line/i.test(childNamed(element, 'ScanningMode')?.text ?? '')) continue;
    lineFrameTime ??= parsePositive(childNamed(element, 'FrameTime')?.text);
  }
  return { scaling, timeSpan, lineFrameTime };
}

function parseTimeSpan(element: XmlElement | undefined): number | undefined {
  const value = parsePositive(childNamed(element, 'Value')?.text);
  // The value is in seconds, regardless of the unit it is shown in, except for milliseconds.
  const milliseconds = childNamed(element, 'DefaultUnitFormat')?.text.trim() === 'ms';
  return value === undefined ? undefined : value / (milliseconds ? 1000 : 1);
}

function parseChannel(element: XmlElement): RawCziChannel {
  const { Id: id = '', Name: name = '' } = element.attributes;
  const text = (child: string) => childNamed(element, child)?.text.trim() ?? '';
  return { id, name, color: text('Color'), illumination: text('IlluminationType') };
}

function parseDisplay(element: XmlElement): RawDisplay {
  const channel = parseChannel(element);
  const text = (child: string) => childNamed(element, child)?.text.trim() || '';
  const fraction = (child: string) => (text(child) === '' ? undefined : Number(text(child)));
  return {
    ...channel,
    name: channel.name || text('ShortName') || text('DyeName'),
    color: channel.color || text('OriginalColor'),
    low: fraction('Low'),
    high: fraction('High'),
    pixelType: text('PixelType'),
  };
}

function parseSceneNames(scenes: XmlElement | undefined): Map<number, string> {
  const names = new Map<number, string>();
  for (const scene of childrenNamed(scenes, 'Scene')) {
    const { Index: index = '', Name: name = '' } = scene.attributes;
    if (/^\d+$/.test(index) && name !== '') names.set(Number(index), name);
  }
  return names;
}
