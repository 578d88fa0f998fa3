import { AcqError } from '../../base/errors.js';
import { asIncomplete } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import { TAG } from '../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';

/** The pages with image planes. The others are thumbnails, which are never read. */
export interface ImagePages {
  count: number;
  /** Returns the index of the page of an image. */
  page(image: number): number;
  /** Returns the index of the page of its thumbnail, when there is one. */
  thumbnail(image: number): number | undefined;
  warnings: string[];
}

/**
 * Finds the pages with images. Images and thumbnails normally alternate; when the first and the last pages do not, all
 * pages are checked. Pages at the end that were never written are skipped.
 */
export function findImagePages(file: TiffFile): ImagePages {
  const first = file.page(0);
  const thumbnail = (index: number) => isThumbnail(file, index, first);
  const { pageCount } = file;
  const lastOdd = pageCount - 1 - (pageCount % 2);
  const lastEven = pageCount - 1 - ((pageCount + 1) % 2);
  if (pageCount > 1 && thumbnail(1) && thumbnail(lastOdd) && !thumbnail(lastEven)) {
    return dropUnwritten(file, {
      count: Math.ceil(pageCount / 2),
      page: (image) => 2 * image,
      thumbnail: (image) => (2 * image + 1 < pageCount ? 2 * image + 1 : undefined),
      warnings: [],
    });
  }
  const images = [0];
  for (let i = 1; i < pageCount; i++) if (!thumbnail(i)) images.push(i);
  const thumbnails = pageCount - images.length;
  return dropUnwritten(file, {
    count: images.length,
    page: (image) => images[image]!,
    thumbnail: () => undefined,
    warnings:
      thumbnails > 0 && images.length > 1
        ? [
            `Images and thumbnails do not alternate. According to their tags, ${grouped(images.length)} of ${grouped(pageCount)} pages are images.`,
          ]
        : [],
  });
}

/** True for a reduced page, a page that differs in size from the first, and a page that cannot be parsed. */
function isThumbnail(file: TiffFile, index: number, first: TiffPage): boolean {
  if (index === 0) return false;
  try {
    const page = file.page(index);
    if (((page.number(TAG.newSubfileType) ?? 0) & 1) === 1) return true;
    return [TAG.imageWidth, TAG.imageLength].some((code) => page.number(code) !== first.number(code));
  } catch (error) {
    if (error instanceof AcqError) return true;
    throw error;
  }
}

/** Returns the pages without those at the end that a stopped recording never filled. */
function dropUnwritten(file: TiffFile, pages: ImagePages): ImagePages {
  if (isWritten(file, pages.page(pages.count - 1))) return pages;
  let low = 1;
  let high = pages.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isWritten(file, pages.page(middle))) low = middle + 1;
    else high = middle;
  }
  if (low === pages.count) return pages;
  const unwritten = pages.count - low;
  const were = unwritten === 1 ? 'was' : 'were';
  const warning = `${grouped(unwritten)} of ${plural(pages.count, 'image')} ${were} never written and skipped.`;
  return { ...pages, count: low, warnings: [...pages.warnings, asIncomplete(warning)] };
}

function isWritten(file: TiffFile, index: number): boolean {
  try {
    return (
      file
        .page(index)
        .numbers(TAG.stripOffsets)
        ?.some((offset) => offset > 0) ?? false
    );
  } catch (error) {
    if (error instanceof AcqError) return true;
    throw error;
  }
}
