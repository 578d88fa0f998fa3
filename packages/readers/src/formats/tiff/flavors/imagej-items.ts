import type { TiffPage } from '../../../tiff/types.js';

const METADATA_BYTE_COUNTS = 50838;
const METADATA = 50839;

/** The metadata that ImageJ stores with a page, beside its description. */
export interface ImageJMetadata {
  /** Returns the items of a type, at most `limit`. */
  items(type: string, limit: number): Uint8Array[];
  littleEndian: boolean;
}

/**
 * Reads tags 50838 and 50839: a header with the magic `IJIJ` (big-endian) or `JIJI` and pairs of type and count, then the
 * items. Returns `undefined` if they are missing or unusable.
 */
export function readImageJMetadata(page: TiffPage): ImageJMetadata | undefined {
  const lengths = page.numbers(METADATA_BYTE_COUNTS);
  const bytes = lengths && page.bytes(METADATA);
  const headerLength = lengths?.[0];
  if (!bytes || headerLength === undefined || headerLength < 12 || headerLength > bytes.length) return undefined;
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== 'IJIJ' && magic !== 'JIJI') return undefined;
  const littleEndian = magic === 'JIJI';
  const blocks = locateBlocks(bytes, lengths, headerLength, littleEndian);
  return {
    littleEndian,
    items: (type, limit) => {
      const block = blocks.get(type);
      if (!block) return [];
      return sliceItems(bytes, block.at, lengths.slice(block.first, block.first + Math.min(block.count, limit)));
    },
  };
}

/** The items of one type: where the first one starts, and where its length is in the list of lengths. */
interface ItemRange {
  at: number;
  first: number;
  count: number;
}

function locateBlocks(
  bytes: Uint8Array,
  lengths: readonly number[],
  headerLength: number,
  littleEndian: boolean,
): Map<string, ItemRange> {
  const blocks = new Map<string, ItemRange>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let first = 1;
  let at = headerLength;
  for (let entry = 4; entry + 8 <= headerLength; entry += 8) {
    const letters = [...bytes.subarray(entry, entry + 4)];
    const type = String.fromCharCode(...(littleEndian ? letters.reverse() : letters));
    const count = view.getUint32(entry + 4, littleEndian);
    if (count > lengths.length - first) break;
    if (!blocks.has(type)) blocks.set(type, { at, first, count });
    for (let i = first; i < first + count; i++) at += lengths[i]!;
    first += count;
  }
  return blocks;
}

function sliceItems(bytes: Uint8Array, start: number, lengths: readonly number[]): Uint8Array[] {
  const items: Uint8Array[] = [];
  let at = start;
  for (const length of lengths) {
    if (at + length > bytes.length) break;
    items.push(bytes.subarray(at, at + length));
    at += length;
  }
  return items;
}
