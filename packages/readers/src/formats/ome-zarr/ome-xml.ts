/** Parses `OME/METADATA.ome.xml` beside the series of bioformats2raw: metadata that OME-Zarr cannot store. */

import { LIMITS } from '../../base/limits.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import type { Instrument } from '../../model/acquisition.js';
import { omeInstrument, parseOme, type RawOmeImage, type RawPixels } from '../../model/metadata/ome-document.js';

/** Key of the document in a store. */
export const OME_XML = 'OME/METADATA.ome.xml';

export interface OmeXmlImage {
  name: string;
  acquired: string;
  instrument?: Instrument;
  channels: string[];
  /** Physical size and unit by axis. */
  sizes: Partial<Record<'X' | 'Y' | 'Z' | 'T', { value: number; unit: string }>>;
  /** Times and positions of the planes. */
  pixels: RawPixels;
}

/** Returns the text of the document; `undefined` without one, or for one above the limit. */
export function readOmeXml(source: ByteSource | undefined): string | undefined {
  return source && source.size <= LIMITS.zarrMetadataBytes ? decodeText(source.read(0, source.size)) : undefined;
}

/** Returns the images in the order of the document; none when it cannot be read. */
export function parseOmeXml(source: ByteSource | undefined): OmeXmlImage[] {
  return parseOme(readOmeXml(source) ?? '').images.map(toImage);
}

function toImage(image: RawOmeImage): OmeXmlImage {
  const { name, isNamed, date, pixels } = image;
  const sizes: OmeXmlImage['sizes'] = {};
  for (const axis of ['X', 'Y', 'Z', 'T'] as const) {
    const { value, unit } = pixels.physical[axis];
    if (value !== undefined) sizes[axis] = { value, unit };
  }
  return {
    name: isNamed ? name : '',
    acquired: date,
    ...omeInstrument(image),
    channels: pixels.channels.map((channel) => channel.name ?? ''),
    sizes,
    pixels,
  };
}
