import { ignoreCorrupted } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { parseObject } from '../../model/metadata/micro-manager.js';
import { openTiff } from '../../tiff/parse.js';
import { TAG } from '../../tiff/tags.js';
import type { TiffPage } from '../../tiff/types.js';
import { type ImageEntry, toAxes } from './parse.js';

const IMAGE_METADATA = 51_123;
/** Pages that are read one by one when the index does not list them. */
const MAX_PAGES = 10_000;

export interface WalkedPages {
  entries: ImageEntry[];
  /** There are more pages than are read one by one. */
  isPartial: boolean;
}

/** Reads the images of a set from the pages of its TIFF files, for a set whose index is missing or ends early. */
export function walkPages(files: readonly ByteSource[]): WalkedPages {
  const entries: ImageEntry[] = [];
  let pages = 0;
  for (const source of files) {
    const file = ignoreCorrupted(() => openTiff(source));
    if (!file) continue;
    for (let index = 0; index < file.pageCount; index++) {
      if (pages++ >= MAX_PAGES) return { entries, isPartial: true };
      const entry = ignoreCorrupted(() => toEntry(source.name, file.page(index)));
      if (entry) entries.push(entry);
    }
  }
  return { entries, isPartial: false };
}

/** Fields of the IFD of an image, and the tag of its first field. */
const [IFD_FIELDS, IMAGE_WIDTH] = [13, 256];

/** True when a page follows the last image of a TIFF file that the index lists: the index was truncated between two images. */
export function hasMorePages(source: ByteSource, entries: readonly ImageEntry[]): boolean {
  const end = entries.reduce((max, entry) => Math.max(max, entry.metadataOffset + entry.metadataLength), 0);
  const at = end + (end % 2);
  if (end === 0 || at + 4 > source.size) return false;
  const view = new DataView(source.read(at, 4).buffer);
  return view.getUint16(0, true) === IFD_FIELDS && view.getUint16(2, true) === IMAGE_WIDTH;
}

function toEntry(name: string, page: TiffPage): ImageEntry | undefined {
  const { width, height, samplesPerPixel, bits } = page.layout;
  const axes = toAxes(parseObject(page.text(IMAGE_METADATA) ?? '')['Axes']);
  const pixelOffset = page.number(TAG.stripOffsets);
  const metadata = page.tags.get(IMAGE_METADATA);
  if (!axes || pixelOffset === undefined) return undefined;
  return {
    axes,
    file: name.slice(name.lastIndexOf('/') + 1),
    ...{ pixelOffset, width, height, pixelType: samplesPerPixel === 3 ? 2 : bits > 8 ? 1 : 0 },
    ...{ pixelCompression: page.layout.compression === 1 ? 0 : page.layout.compression },
    ...{ metadataOffset: metadata?.valueOffset ?? 0, metadataLength: metadata?.byteLength ?? 0 },
  };
}
