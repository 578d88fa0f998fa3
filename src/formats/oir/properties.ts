/** `imageProperties`, `frameProperties`, `imageDefinition`: XML elements to raw values under the vendor's names. */
import { allElements, childNamed, childrenNamed, type XmlElement } from '../../io/xml.js';
import { pathsOf, type RawPath } from './scan-path.js';

/** Values are as the file states them: `undefined` when missing or no number. */
export interface RawAxis {
  /** `TIMELAPSE`, `ZSTACK`, `LAMBDA`. */
  type: string;
  start: number | undefined;
  end: number | undefined;
  step: number | undefined;
  maxSize: number | undefined;
}

export interface RawChannel {
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

export interface RawScanner {
  type: string;
  width: number | undefined;
  height: number | undefined;
  /** ms per line. */
  lineSpeed: number | undefined;
  /** ms between successive samples of the series: lines of a line scan, frames of a frame series. */
  seriesInterval: number | undefined;
}

export interface RawProperties {
  /** False when the document ends early. */
  complete: boolean;
  created: string;
  /** Size of the stored frame. */
  imageWidth: number | undefined;
  imageHeight: number | undefined;
  /** What was recorded. */
  acquiredAxes: RawAxis[];
  /** What was planned. */
  plannedAxes: RawAxis[];
  channels: RawChannel[];
  /** µm per pixel, where no channel says its own. */
  resolutionX: number | undefined;
  resolutionY: number | undefined;
  scannerType: string;
  scanners: RawScanner[];
  paths: RawPath[];
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

/** @param complete whether the document has its end */
export function parseImageProperties(root: XmlElement, complete = true): RawProperties {
  const imageInfo = childNamed(root, 'imageInfo');
  const raw: RawProperties = {
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
    paths: pathsOf(root),
  };
  const channels = new Map<string, RawChannel>();
  for (const element of allElements(root)) takeElement(raw, channels, element);
  // Stable: channels without an order keep the document's.
  raw.channels = [...channels.values()].sort((a, b) => a.order - b.order);
  return raw;
}

function takeElement(raw: RawProperties, channels: Map<string, RawChannel>, element: XmlElement): void {
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
 * What a document that ends early says of the recorded image, with the rest from an earlier one: the snapshot behind
 * the first frame, which describes the channels and what was planned.
 */
export function completedBy(cut: RawProperties, earlier: RawProperties): RawProperties {
  const channels = new Map(cut.channels.map((channel) => [channel.id, channel]));
  for (const channel of earlier.channels) mergeChannel(channels, channel);
  return {
    ...(earlier.complete ? earlier : cut),
    created: cut.created || earlier.created,
    imageWidth: cut.imageWidth ?? earlier.imageWidth,
    imageHeight: cut.imageHeight ?? earlier.imageHeight,
    acquiredAxes: cut.acquiredAxes.length > 0 ? cut.acquiredAxes : earlier.acquiredAxes,
    channels: [...channels.values()].sort((a, b) => a.order - b.order),
  };
}

/** A channel is described in several places; the first one decides, later ones fill what it leaves open. */
function mergeChannel(channels: Map<string, RawChannel>, parsed: RawChannel): void {
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

function parseChannel(element: XmlElement, id: string): RawChannel {
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

/** The element has the name of what it holds: `axis/axis` is the type. */
function parseAxis(element: XmlElement): RawAxis {
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
  return {
    type: element.attributes['type'] ?? '',
    width: numberOf(childNamed(size, 'width')),
    height: numberOf(childNamed(size, 'height')),
    lineSpeed: numberOf(childNamed(speed, 'lineSpeed')),
    seriesInterval: numberOf(childNamed(speed, 'seriesInterval')),
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

/** `undefined` without a usable width and height. */
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

export function isSize(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value > 0;
}

/** A child of this name, else the first one below: other elements may have parts of the same name. */
function nearest(root: XmlElement, name: string): XmlElement | undefined {
  return childNamed(root, name) ?? first(root, name);
}

function first(root: XmlElement, name: string): XmlElement | undefined {
  for (const element of allElements(root)) if (element.name === name) return element;
  return undefined;
}

export function textOf(element: XmlElement | undefined): string {
  return element?.text.trim() ?? '';
}

export function numberOf(element: XmlElement | undefined): number | undefined {
  return numberIn(element?.text);
}

export function numberIn(text: string | undefined): number | undefined {
  const trimmed = text?.trim();
  if (!trimmed) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}
