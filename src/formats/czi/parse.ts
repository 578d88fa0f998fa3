/** The XML of the metadata segment: the few facts that are served, under the vendor's names. */
import { decodeText } from '../../io/text.js';
import { allElements, childNamed, childrenNamed, parseXml, type XmlElement } from '../../io/xml.js';

export interface RawMetadata {
  /** `Scaling/Items/Distance`, m. */
  distances: { X?: number; Y?: number; Z?: number };
  /** First `ScalingX` … of the acquisition modes, m. */
  scaling: { X?: number; Y?: number; Z?: number };
  acquisitionDate: string;
  creationDate: string;
  /** By index along C. */
  channels: RawChannel[];
  display: RawDisplay[];
  sceneNames: Map<number, string>;
  /** `T/Positions/List/Offsets`, s. */
  timeOffsets: number[];
  /** `T/Positions/Interval/Increment`, s. */
  timeIncrement: number | undefined;
  /** Configured interval, s. */
  timeSpan: number | undefined;
  /** `LaserScanInfo/FrameTime` of a line scan, s. */
  lineFrameTime: number | undefined;
  /** `Z/Positions`, µm. */
  depthIncrement: number | undefined;
  /** What could not be read. */
  errors: string[];
}

export interface RawChannel {
  id: string;
  name: string;
  /** `#AARRGGBB`, or empty. */
  color: string;
  /** `IlluminationType`: `Epifluorescence`, `Transmitted`, … */
  illumination: string;
}

/** `DisplaySetting` of a channel. */
export interface RawDisplay extends RawChannel {
  /** Black and white as parts of the largest value that pixels of the type can have. */
  low: number | undefined;
  high: number | undefined;
  pixelType: string;
}

/** Parts of the document that nothing is read from; some hold most of its bytes. */
const SKIPPED = new Set(['HardwareSetting', 'CustomAttributes', 'ImageScaling', 'Layers', 'Appliances', 'Attachments']);
/** Time offsets that are read; more than that are summed up by other means. */
const MAX_OFFSETS = 2_000_000;

export function parseMetadata(bytes: Uint8Array | undefined): RawMetadata {
  const document = bytes && parseXml(decodeText(bytes), { skip: SKIPPED });
  const metadata = document?.root?.name === 'Metadata' ? document.root : childNamed(document?.root, 'Metadata');
  const image = childNamed(metadata, 'Information', 'Image');
  const dimensions = childNamed(image, 'Dimensions');
  const errors = document && !metadata ? ['holds no metadata that can be read'] : (document?.errors ?? []);
  return {
    distances: distancesOf(childNamed(metadata, 'Scaling', 'Items')),
    ...settingsOf(metadata, dimensions),
    acquisitionDate: childNamed(image, 'AcquisitionDateAndTime')?.text ?? '',
    creationDate: childNamed(metadata, 'Information', 'Document', 'CreationDate')?.text ?? '',
    channels: childrenNamed(childNamed(dimensions, 'Channels'), 'Channel').map(channelOf),
    display: childrenNamed(childNamed(metadata, 'DisplaySetting', 'Channels'), 'Channel').map(displayOf),
    sceneNames: sceneNames(childNamed(dimensions, 'S', 'Scenes')),
    timeOffsets: numbersOf(childNamed(dimensions, 'T', 'Positions', 'List', 'Offsets')?.text),
    timeIncrement: positive(childNamed(dimensions, 'T', 'Positions', 'Interval', 'Increment')?.text),
    depthIncrement: positive(childNamed(dimensions, 'Z', 'Positions', 'Interval', 'Increment')?.text),
    errors,
  };
}

/** Numbers in any notation of the vendor: `3.5297956068988698e-008`. */
function positive(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function numbersOf(text: string | undefined): number[] {
  if (!text?.trim()) return [];
  const values = text.trim().split(/\s+/, MAX_OFFSETS).map(Number);
  return values.every(Number.isFinite) ? values : [];
}

function distancesOf(items: XmlElement | undefined): RawMetadata['distances'] {
  const distances: RawMetadata['distances'] = {};
  for (const distance of childrenNamed(items, 'Distance')) {
    const id = distance.attributes['Id'];
    const value = positive(childNamed(distance, 'Value')?.text);
    if ((id === 'X' || id === 'Y' || id === 'Z') && value !== undefined) distances[id] = value;
  }
  return distances;
}

/** What lies anywhere below the experiment; the first one counts. */
function settingsOf(metadata: XmlElement | undefined, dimensions: XmlElement | undefined) {
  const scaling: RawMetadata['scaling'] = {};
  let timeSpan: number | undefined;
  for (const element of allElements(childNamed(metadata, 'Experiment'))) {
    const axis = /^Scaling([XYZ])$/.exec(element.name)?.[1] as 'X' | 'Y' | 'Z' | undefined;
    const value = axis && positive(element.text);
    if (axis && value !== undefined) scaling[axis] ??= value;
    if (element.name === 'Interval') timeSpan ??= timeSpanOf(childNamed(element, 'TimeSpan'));
  }
  let lineFrameTime: number | undefined;
  for (const element of allElements(childNamed(dimensions, 'Channels'))) {
    if (element.name !== 'LaserScanInfo' || !/line/i.test(childNamed(element, 'ScanningMode')?.text ?? '')) continue;
    lineFrameTime ??= positive(childNamed(element, 'FrameTime')?.text);
  }
  return { scaling, timeSpan, lineFrameTime };
}

function timeSpanOf(element: XmlElement | undefined): number | undefined {
  const value = positive(childNamed(element, 'Value')?.text);
  // The value is in seconds whatever unit it is shown in, except for milliseconds.
  const milliseconds = childNamed(element, 'DefaultUnitFormat')?.text.trim() === 'ms';
  return value === undefined ? undefined : value / (milliseconds ? 1000 : 1);
}

function channelOf(element: XmlElement): RawChannel {
  const { Id: id = '', Name: name = '' } = element.attributes;
  const text = (child: string) => childNamed(element, child)?.text.trim() ?? '';
  return { id, name, color: text('Color'), illumination: text('IlluminationType') };
}

function displayOf(element: XmlElement): RawDisplay {
  const own = channelOf(element);
  const text = (child: string) => childNamed(element, child)?.text.trim() || '';
  const part = (child: string) => (text(child) === '' ? undefined : Number(text(child)));
  return {
    ...own,
    name: own.name || text('ShortName') || text('DyeName'),
    color: own.color || text('OriginalColor'),
    low: part('Low'),
    high: part('High'),
    pixelType: text('PixelType'),
  };
}

function sceneNames(scenes: XmlElement | undefined): Map<number, string> {
  const names = new Map<number, string>();
  for (const scene of childrenNamed(scenes, 'Scene')) {
    const { Index: index = '', Name: name = '' } = scene.attributes;
    if (/^\d+$/.test(index) && name !== '') names.set(Number(index), name);
  }
  return names;
}
