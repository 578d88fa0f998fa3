/** Parses `imageProperties`, `frameProperties` and `imageDefinition` into values with the vendor's names. */
import { allElements, childNamed, childrenNamed, type XmlElement } from '../../io/xml.js';
import { OpticsFinder, type RawOirOptics } from './optics.js';
import { parsePaths, type RawPath } from './scan-path.js';
import { first, numberOf, textOf } from './values.js';

/** Values as the file states them: `undefined` when missing or not a number. */
export interface RawOirAxis {
  /** `TIMELAPSE`, `ZSTACK`, `LAMBDA`. */
  type: string;
  start: number | undefined;
  end: number | undefined;
  step: number | undefined;
  maxSize: number | undefined;
}

export interface RawOirChannel {
  id: string;
  order: number;
  name: string;
  /** Per pixel, in `unitX` and `unitY`. */
  lengthX: number | undefined;
  lengthY: number | undefined;
  unitX: string;
  unitY: string;
  /** Bytes per sample and significant bits; 0 when not stated. */
  depth: number;
  bitCounts: number;
}

interface RawScanner {
  type: string;
  width: number | undefined;
  height: number | undefined;
  /** µs per pixel. */
  pixelSpeed: number | undefined;
  /** ms per line. */
  lineSpeed: number | undefined;
  /** ms between successive samples of the series: lines of a line scan, frames of a frame series. */
  seriesInterval: number | undefined;
  zoom: number | undefined;
  /** Lines are scanned in both directions. */
  roundtrip: boolean | undefined;
}

export interface RawProperties {
  /** False when the document ends early. */
  complete: boolean;
  created: string;
  /** Size of the stored frame. */
  imageWidth: number | undefined;
  imageHeight: number | undefined;
  /** What was recorded. */
  acquiredAxes: RawOirAxis[];
  /** What was planned. */
  plannedAxes: RawOirAxis[];
  channels: RawOirChannel[];
  /** µm per pixel, where no channel has its own. */
  resolutionX: number | undefined;
  resolutionY: number | undefined;
  scannerType: string;
  scanners: RawScanner[];
  paths: RawPath[];
  optics: RawOirOptics;
}

/** Geometry of stored planes. */
export interface RawGeometry {
  width: number;
  height: number;
  /** Bytes per sample; 0 when not stated. */
  depth: number;
  bitCounts: number;
  colorType: string;
}

export interface RawFrameProperties {
  geometry: RawGeometry | undefined;
  created: string;
  /** Positions by axis type: `TIMELAPSE` in ms, `ZSTACK` in µm, `LAMBDA` in nm. */
  positions: Map<string, number>;
}

/** @param complete false when the document ends early */
export function parseImageProperties(root: XmlElement, complete = true): RawProperties {
  const optics = new OpticsFinder();
  const imageInfo = childNamed(root, 'imageInfo');
  const raw: Omit<RawProperties, 'optics'> = {
    complete,
    created: textOf(childNamed(root, 'general', 'creationDateTime')) || textOf(first(root, 'creationDateTime')),
    imageWidth: numberOf(childNamed(imageInfo, 'width')),
    imageHeight: numberOf(childNamed(imageInfo, 'height')),
    acquiredAxes: childrenNamed(imageInfo, 'axis').map(parseAxis),
    plannedAxes: [],
    channels: [],
    resolutionX: undefined,
    resolutionY: undefined,
    scannerType: '',
    scanners: [],
    paths: parsePaths(root),
  };
  const channels = new Map<string, RawOirChannel>();
  for (const element of allElements(root)) {
    addElement(raw, channels, element);
    optics.add(element);
  }
  // The sort is stable: channels without an order keep that of the document.
  raw.channels = [...channels.values()].sort((a, b) => a.order - b.order);
  return { ...raw, optics: optics.finish(root) };
}

function addElement(
  raw: Omit<RawProperties, 'optics'>,
  channels: Map<string, RawOirChannel>,
  element: XmlElement,
): void {
  const { name, attributes } = element;
  if (name === 'channel' && attributes['id']) mergeChannel(channels, parseChannel(element, attributes['id']));
  else if (name === 'axis' && attributes['enable'] === 'true' && attributes['paramEnable'] !== 'false') {
    raw.plannedAxes.push(parseAxis(element));
  } else if (name === 'scannerType' && !raw.scannerType) raw.scannerType = textOf(element);
  else if (name === 'scannerSettings') raw.scanners.push(parseScanner(element));
  else if (name === 'pixelResolution' && raw.resolutionX === undefined) {
    raw.resolutionX = numberOf(childNamed(element, 'x'));
    raw.resolutionY = numberOf(childNamed(element, 'y'));
  }
}

/**
 * Completes a document that ends early with an earlier one: the snapshot after the first frame, which describes the
 * channels and what was planned.
 */
export function completeWith(partial: RawProperties, earlier: RawProperties): RawProperties {
  const channels = new Map(partial.channels.map((channel) => [channel.id, { ...channel }]));
  for (const channel of earlier.channels) mergeChannel(channels, channel);
  return {
    ...(earlier.complete ? earlier : partial),
    created: partial.created || earlier.created,
    imageWidth: partial.imageWidth ?? earlier.imageWidth,
    imageHeight: partial.imageHeight ?? earlier.imageHeight,
    acquiredAxes: partial.acquiredAxes.length > 0 ? partial.acquiredAxes : earlier.acquiredAxes,
    channels: [...channels.values()].sort((a, b) => a.order - b.order),
  };
}

/** Adds a description of a channel, which may have several: the first one decides, later ones fill what it lacks. */
function mergeChannel(channels: Map<string, RawOirChannel>, parsed: RawOirChannel): void {
  const known = channels.get(parsed.id);
  if (!known) {
    channels.set(parsed.id, parsed);
    return;
  }
  known.name ||= parsed.name;
  known.depth ||= parsed.depth;
  known.bitCounts ||= parsed.bitCounts;
  if (known.lengthX === undefined) {
    const { lengthX, lengthY, unitX, unitY } = parsed;
    Object.assign(known, { lengthX, lengthY, unitX, unitY });
  }
}

function parseChannel(element: XmlElement, id: string): RawOirChannel {
  const length = nearest(element, 'length');
  const unit = nearest(element, 'pixelUnit');
  const definition = nearest(element, 'imageDefinition');
  return {
    id,
    order: Number.parseInt(element.attributes['order'] ?? '', 10) || 0,
    name: textOf(childNamed(element, 'name')),
    lengthX: numberOf(childNamed(length, 'x')),
    lengthY: numberOf(childNamed(length, 'y')),
    unitX: textOf(childNamed(unit, 'x')),
    unitY: textOf(childNamed(unit, 'y')),
    depth: numberOf(childNamed(definition, 'depth')) ?? 0,
    bitCounts: numberOf(childNamed(definition, 'bitCounts')) ?? 0,
  };
}

/** The type of an axis is in the element `axis/axis`. */
function parseAxis(element: XmlElement): RawOirAxis {
  return {
    type: textOf(childNamed(element, 'axis')),
    start: numberOf(childNamed(element, 'startPosition')),
    end: numberOf(childNamed(element, 'endPosition')),
    step: numberOf(childNamed(element, 'step')),
    maxSize: numberOf(childNamed(element, 'maxSize')),
  };
}

function parseScanner(element: XmlElement): RawScanner {
  const size = first(element, 'imageSize');
  const speed = first(element, 'speedInformation');
  const roundtrip = textOf(first(element, 'roundtrip'));
  return {
    type: element.attributes['type'] ?? '',
    width: numberOf(childNamed(size, 'width')),
    height: numberOf(childNamed(size, 'height')),
    pixelSpeed: numberOf(childNamed(speed, 'pixelSpeed')) ?? numberOf(childNamed(first(element, 'speed'), 'speed')),
    lineSpeed: numberOf(childNamed(speed, 'lineSpeed')),
    seriesInterval: numberOf(childNamed(speed, 'seriesInterval')),
    zoom: numberOf(childNamed(first(element, 'area'), 'zoom')),
    roundtrip: roundtrip === 'true' || (roundtrip === 'false' ? false : undefined),
  };
}

export function parseFrameProperties(root: XmlElement): RawFrameProperties {
  const positions = new Map<string, number>();
  for (const element of allElements(root)) {
    if (element.name !== 'axisValue') continue;
    const position = numberOf(childNamed(element, 'position'));
    if (position !== undefined) positions.set(textOf(childNamed(element, 'axisType')), position);
  }
  const definition = nearest(root, 'imageDefinition');
  return {
    geometry: definition && parseGeometry(definition),
    created: textOf(childNamed(root, 'general', 'creationDateTime')) || textOf(first(root, 'creationDateTime')),
    positions,
  };
}

/** Returns `undefined` without a usable width and height. */
export function parseGeometry(definition: XmlElement): RawGeometry | undefined {
  const width = numberOf(childNamed(definition, 'width'));
  const height = numberOf(childNamed(definition, 'height'));
  if (!isSize(width) || !isSize(height)) return undefined;
  return {
    width,
    height,
    depth: numberOf(childNamed(definition, 'depth')) ?? 0,
    bitCounts: numberOf(childNamed(definition, 'bitCounts')) ?? 0,
    colorType: textOf(childNamed(definition, 'colorType')),
  };
}

function isSize(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value > 0;
}

/** Returns a child of this name, else the first descendant: other elements may have parts of the same name. */
function nearest(root: XmlElement, name: string): XmlElement | undefined {
  return childNamed(root, name) ?? first(root, name);
}
