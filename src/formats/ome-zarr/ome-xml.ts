/** Parses `OME/METADATA.ome.xml` beside the series of bioformats2raw: metadata that OME-Zarr cannot store. */
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { decodeText } from '../../io/text.js';
import { parseXml, type XmlElement } from '../../io/xml.js';
import { toUnit } from '../../metadata/units.js';

export interface OmeXmlImage {
  name: string;
  acquired: string;
  channels: string[];
  /** Physical size and unit by axis. */
  sizes: Partial<Record<'X' | 'Y' | 'Z' | 'T', { value: number; unit: string }>>;
  /** `DeltaT` in seconds of the planes of the first channel and section, by index along T. */
  times: Map<number, number>;
  /** `PositionZ` in micrometers of the planes of the first channel and time point, by index along Z. */
  depths: Map<number, number>;
}

type Planes = Pick<OmeXmlImage, 'times' | 'depths'>;

const SKIPPED = new Set(['StructuredAnnotations', 'ROI', 'TiffData', 'Instrument', 'BinData']);

/** Returns the images in the order of the document; none when it cannot be read. */
export function parseOmeXml(source: ByteSource | undefined): OmeXmlImage[] {
  if (!source || source.size > LIMITS.zarrMetadataBytes) return [];
  const planes = new Map<XmlElement, Planes>();
  const onElement = (element: XmlElement, parent: XmlElement | undefined): boolean => {
    if (element.name !== 'Plane' || !parent) return true;
    // There may be a million planes: only their values are kept.
    const known = planes.get(parent) ?? { times: new Map(), depths: new Map() };
    planes.set(parent, known);
    addPlane(known, element);
    return false;
  };
  const { root } = parseXml(decodeText(source.read(0, source.size)), { skip: SKIPPED, onElement });
  return (root?.children ?? []).filter(({ name }) => name === 'Image').map((image) => toImage(image, planes));
}

function addPlane({ times, depths }: Planes, { attributes }: XmlElement): void {
  const index = (key: string) => (/^\d{1,9}$/.test(attributes[key] ?? '') ? Number(attributes[key]) : Number.NaN);
  const [t, z] = [index('TheT'), index('TheZ')];
  if (index('TheC') !== 0) return;
  const time = quantity(attributes['DeltaT'], attributes['DeltaTUnit'] ?? 's', 'seconds');
  if (z === 0 && time !== undefined && !times.has(t)) times.set(t, time);
  // Positions without a unit are in that of a "reference frame", which nobody knows.
  const depth = quantity(attributes['PositionZ'], attributes['PositionZUnit'] ?? '', 'micrometer');
  if (t === 0 && depth !== undefined && !depths.has(z)) depths.set(z, depth);
}

function quantity(text: string | undefined, unit: string, expected: 'seconds' | 'micrometer'): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isFinite(value) ? toUnit(expected, value, unit) : undefined;
}

function toImage(image: XmlElement, planes: ReadonlyMap<XmlElement, Planes>): OmeXmlImage {
  const pixels = child(image, 'Pixels');
  const attributes = pixels?.attributes ?? {};
  const sizes: OmeXmlImage['sizes'] = {};
  for (const [axis, key, fallback] of [
    ['X', 'PhysicalSizeX', 'µm'],
    ['Y', 'PhysicalSizeY', 'µm'],
    ['Z', 'PhysicalSizeZ', 'µm'],
    ['T', 'TimeIncrement', 's'],
  ] as const) {
    const value = attributes[key];
    if (value !== undefined) sizes[axis] = { value: Number(value), unit: attributes[`${key}Unit`] ?? fallback };
  }
  return {
    name: image.attributes['Name'] ?? '',
    acquired: child(image, 'AcquisitionDate')?.text ?? '',
    channels: (pixels?.children ?? [])
      .filter(({ name }) => name === 'Channel')
      .map(({ attributes: { Name, Fluor } }) => Name ?? Fluor ?? ''),
    sizes,
    ...((pixels && planes.get(pixels)) ?? { times: new Map(), depths: new Map() }),
  };
}

function child(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((entry) => entry.name === name);
}
