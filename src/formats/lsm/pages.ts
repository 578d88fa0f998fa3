import { AcqError } from '../../errors.js';
import type { TiffFile, TiffPage } from '../../tiff/types.js';

const NEW_SUBFILE_TYPE = 254;
const IMAGE_WIDTH = 256;
const IMAGE_LENGTH = 257;
const STRIP_OFFSETS = 273;

/** Which pages hold image planes; the others are thumbnails and never read. */
export interface ImagePages {
  count: number;
  /** Index of the page of an image. */
  page(image: number): number;
  /** Index of its thumbnail's page, if the file has thumbnails and reaches that far. */
  thumbnail(image: number): number | undefined;
  warnings: string[];
}

/**
 * Images and thumbnails take turns. That is believed when the first and last pages say so; else every page is asked.
 * Pages at the end that were never written do not count.
 */
export function findImagePages(file: TiffFile): ImagePages {
  const first = file.page(0);
  const thumbnail = (index: number) => isThumbnail(file, index, first);
  const { pageCount } = file;
  const lastOdd = pageCount - 1 - (pageCount % 2);
  const lastEven = pageCount - 1 - ((pageCount + 1) % 2);
  if (pageCount > 1 && thumbnail(1) && thumbnail(lastOdd) && !thumbnail(lastEven)) {
    return written(file, {
      count: Math.ceil(pageCount / 2),
      page: (image) => 2 * image,
      thumbnail: (image) => (2 * image + 1 < pageCount ? 2 * image + 1 : undefined),
      warnings: [],
    });
  }
  const images = [0];
  for (let i = 1; i < pageCount; i++) if (!thumbnail(i)) images.push(i);
  const thumbnails = pageCount - images.length;
  return written(file, {
    count: images.length,
    page: (image) => images[image] as number,
    thumbnail: () => undefined,
    warnings:
      thumbnails > 0 && images.length > 1
        ? [`Images and thumbnails do not take turns; ${images.length} of ${pageCount} pages are images by their tags.`]
        : [],
  });
}

/** A reduced page, or one of another size than the first; also what cannot even be parsed. */
function isThumbnail(file: TiffFile, index: number, first: TiffPage): boolean {
  if (index === 0) return false;
  try {
    const page = file.page(index);
    if (((page.number(NEW_SUBFILE_TYPE) ?? 0) & 1) === 1) return true;
    return [IMAGE_WIDTH, IMAGE_LENGTH].some((code) => page.number(code) !== first.number(code));
  } catch (error) {
    if (error instanceof AcqError) return true;
    throw error;
  }
}

/** Leaves out the pages of a stopped recording that were prepared but never filled. */
function written(file: TiffFile, pages: ImagePages): ImagePages {
  if (isWritten(file, pages.page(pages.count - 1))) return pages;
  let low = 1;
  let high = pages.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isWritten(file, pages.page(middle))) low = middle + 1;
    else high = middle;
  }
  if (low === pages.count) return pages;
  const warning = `${pages.count - low} of ${pages.count} images were prepared but never written; they are left out.`;
  return { ...pages, count: low, warnings: [...pages.warnings, warning] };
}

function isWritten(file: TiffFile, index: number): boolean {
  try {
    return (
      file
        .page(index)
        .numbers(STRIP_OFFSETS)
        ?.some((offset) => offset > 0) ?? false
    );
  } catch (error) {
    if (error instanceof AcqError) return true;
    throw error;
  }
}
