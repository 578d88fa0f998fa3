import type { TiffPage } from '../../../tiff/types.js';

const METADATA_BYTE_COUNTS = 50838;
const METADATA = 50839;

/** ImageJ's own metadata of a page: the items of a type, at most `limit` of them. */
export interface ImageJMetadata {
  items(type: string, limit: number): Uint8Array[];
  littleEndian: boolean;
}

/**
 * Tags 50838 and 50839: a header of the magic `IJIJ` (big-endian) or `JIJI` and pairs of type and count, then the items.
 * `undefined` without usable ones.
 */
export function readImageJMetadata(page: TiffPage): ImageJMetadata | undefined {
  const lengths = page.numbers(METADATA_BYTE_COUNTS);
  const bytes = lengths && page.bytes(METADATA);
  const header = lengths?.[0];
  if (!bytes || header === undefined || header < 12 || header > bytes.length) return undefined;
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== 'IJIJ' && magic !== 'JIJI') return undefined;
  const littleEndian = magic === 'JIJI';
  const places = placesOf(bytes, lengths, header, littleEndian);
  return {
    littleEndian,
    items: (type, limit) => {
      const place = places.get(type);
      return place ? cut(bytes, place.at, lengths.slice(place.first, place.first + Math.min(place.count, limit))) : [];
    },
  };
}

/** Where the items of each type begin: as a byte, and in the list of lengths. */
function placesOf(bytes: Uint8Array, lengths: readonly number[], header: number, littleEndian: boolean) {
  const places = new Map<string, { at: number; first: number; count: number }>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let first = 1;
  let at = header;
  for (let entry = 4; entry + 8 <= header; entry += 8) {
    const letters = [...bytes.subarray(entry, entry + 4)];
    const type = String.fromCharCode(...(littleEndian ? letters.reverse() : letters));
    const count = view.getUint32(entry + 4, littleEndian);
    if (count > lengths.length - first) break;
    if (!places.has(type)) places.set(type, { at, first, count });
    for (let i = first; i < first + count; i++) at += lengths[i] as number;
    first += count;
  }
  return places;
}

function cut(bytes: Uint8Array, start: number, lengths: readonly number[]): Uint8Array[] {
  const items: Uint8Array[] = [];
  let at = start;
  for (const length of lengths) {
    if (at + length > bytes.length) break;
    items.push(bytes.subarray(at, at + length));
    at += length;
  }
  return items;
}
