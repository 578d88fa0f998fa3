/** Parses `OME/METADATA.ome.xml` beside the series of bioformats2raw: metadata that OME-Zarr cannot store. */
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { decodeText } from '../../io/text.js';
import { parseXml, type XmlElement } from '../../io/xml.js';

export interface OmeXmlImage {
  name: string;
  acquired: string;
  channels: string[];
  /** Physical size and unit by axis. */
  sizes: Partial<Record<'X' | 'Y' | 'Z' | 'T', { value: number; unit: string }>>;
}

const SKIPPED = new Set(['StructuredAnnotations', 'ROI', 'Plane', 'TiffData', 'Instrument', 'BinData']);

/** Returns the images in the order of the document; none when it cannot be read. */
export function parseOmeXml(source: ByteSource | undefined): OmeXmlImage[] {
  if (!source || source.size > LIMITS.zarrMetadataBytes) return [];
  const { root } = parseXml(decodeText(source.read(0, source.size)), { skip: SKIPPED });
  return (root?.children ?? []).filter(({ name }) => name === 'Image').map(toImage);
}

function toImage(image: XmlElement): OmeXmlImage {
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
  };
}

function child(element: XmlElement, name: string): XmlElement | undefined {
  return element.children.find((entry) => entry.name === name);
}
