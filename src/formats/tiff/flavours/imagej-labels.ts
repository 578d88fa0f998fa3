import type { TiffPage } from '../../../tiff/types.js';

const METADATA_BYTE_COUNTS = 50838;
const METADATA = 50839;

/**
 * Slice labels of ImageJ's own metadata (tags 50838, 50839): a header of the magic `IJIJ` (big-endian) or `JIJI` and
 * pairs of type and count, then the items; labels are UTF-16. One label per plane; `[]` without usable ones.
 * @param limit labels that are decoded at most
 */
export function imageJLabels(page: TiffPage, limit: number): string[] {
  const lengths = page.numbers(METADATA_BYTE_COUNTS);
  const bytes = lengths && page.bytes(METADATA);
  const header = lengths?.[0];
  if (!bytes || header === undefined || header < 12 || header > bytes.length) return [];
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== 'IJIJ' && magic !== 'JIJI') return [];
  const little = magic === 'JIJI';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let item = 1;
  let at = header;
  for (let entry = 4; entry + 8 <= header; entry += 8) {
    const letters = [...bytes.subarray(entry, entry + 4)];
    const type = String.fromCharCode(...(little ? letters.reverse() : letters));
    const count = view.getUint32(entry + 4, little);
    if (count > lengths.length - item) return [];
    if (type === 'labl') return decodeItems(bytes, at, lengths.slice(item, item + Math.min(count, limit)), little);
    for (const length of lengths.slice(item, item + count)) at += length;
    item += count;
  }
  return [];
}

function decodeItems(bytes: Uint8Array, start: number, lengths: number[], little: boolean): string[] {
  const decoder = new TextDecoder(little ? 'utf-16le' : 'utf-16be');
  let at = start;
  const items: string[] = [];
  for (const length of lengths) {
    if (at + length > bytes.length) break;
    items.push(decoder.decode(bytes.subarray(at, at + length)));
    at += length;
  }
  return items;
}

/**
 * Channel names from slice labels: the label that all planes of a channel share, when each channel has one of its own.
 * @param channelOf channel of a plane by its index
 */
export function namesFromLabels(
  labels: readonly string[],
  channels: number,
  channelOf: (plane: number) => number,
): (string | undefined)[] {
  const names = new Array<string | undefined>(channels).fill(undefined);
  for (const [plane, label] of labels.entries()) {
    const channel = channelOf(plane);
    const name = label.trim();
    if (channel >= channels || name === '' || (names[channel] ?? name) !== name) return [];
    names[channel] = name;
  }
  const distinct = new Set(names);
  return distinct.size === channels && !distinct.has(undefined) ? names : [];
}
