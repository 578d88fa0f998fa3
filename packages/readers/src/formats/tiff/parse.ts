/** Reads the tags that describe pages. A corrupted tag counts as missing: the pixels can be read without it. */
import { missingIfCorrupted } from '../../base/errors.js';
import { TAG } from '../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';

/** Returns the text of a tag, or an empty text if the tag is missing or corrupted. */
export function readText(page: TiffPage, code: number): string {
  try {
    return page.text(code) ?? '';
  } catch (error) {
    return missingIfCorrupted(error) ?? '';
  }
}

/** Returns the ImageDescription of a page, in which most programs keep their metadata. */
export function readDescription(page: TiffPage): string {
  return readText(page, TAG.imageDescription);
}

/** Returns the raw value of a tag, or `undefined` if the tag is missing or corrupted. */
export function readBytes(page: TiffPage, code: number): Uint8Array | undefined {
  try {
    return page.bytes(code);
  } catch (error) {
    return missingIfCorrupted(error);
  }
}

/** Returns the first number of a tag, or `undefined` if the tag is missing or corrupted. */
export function readNumber(page: TiffPage, code: number): number | undefined {
  try {
    return page.number(code);
  } catch (error) {
    return missingIfCorrupted(error);
  }
}

/** Returns a warning if the ImageDescription is lost: without it, a file opens as a plain stack of pages. */
export function checkDescription(file: TiffFile, page: TiffPage): string | undefined {
  const tag = page.tags.get(TAG.imageDescription);
  const truncated = tag !== undefined && tag.valueOffset + tag.byteLength > file.source.size;
  if (!truncated && !page.lostTags.has(TAG.imageDescription)) return undefined;
  return (
    `The description of the pages (ImageDescription) is ${truncated ? 'behind the end of the file, which is truncated' : 'corrupted'}. ` +
    'Which channel, time point (T) or section (Z) each page is, is unknown.'
  );
}
