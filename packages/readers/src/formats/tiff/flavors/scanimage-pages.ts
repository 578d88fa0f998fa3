import { ignoreCorrupted } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { asCorrupted } from '../../../base/warning-kinds.js';
import { grouped, plural } from '../../../base/wording.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import type { PlaneLocation } from '../arrangement.js';
import { contiguousData } from '../contiguous.js';

/** The pages of a file, including those that its chain does not reach. */
export interface PageRun {
  count: number;
  locate(index: number): Omit<PlaneLocation, 'sample'>;
  /** Parses the IFD of a page. @throws AcqError `decode_failed` for a corrupted IFD */
  page(index: number): TiffPage;
  /** Returns the file that a page is in. */
  fileOf(index: number): TiffFile;
  /** Set if there are pages beyond the chain. */
  note?: string;
}

/**
 * Finds the pages of a file. ScanImage up to 2015 wrote classic TIFFs beyond 2 and 4 GB, where the pointers of the chain
 * overflow. All pages of such a file have the same length, so the planes after the break are located by their distance,
 * but only if the chain is broken and there is an IFD where the last page must be.
 */
export function findPages(file: TiffFile, page: TiffPage): PageRun {
  const chain: PageRun = {
    count: file.pageCount,
    locate: (index) => ({ file, page: file.page(index) }),
    page: (index) => file.page(index),
    fileOf: () => file,
  };
  if (file.bigTiff || file.warnings.length === 0 || file.pageCount < 3) return chain;
  const stride = findConstantStride(file);
  const start = contiguousData(page);
  if (stride === undefined || start === undefined) return chain;
  const withinFile = Math.floor((file.source.size - start.offset - start.bytes) / stride) + 1;
  const count = Math.min(withinFile, LIMITS.tiffPages);
  if (count <= file.pageCount || !isPageAt(file, page, page.ifdOffset + (count - 1) * stride)) return chain;
  return {
    count,
    locate: (index) =>
      index < file.pageCount
        ? { file, page: file.page(index) }
        : { file, page, dataOffset: start.offset + index * stride },
    page: (index) => (index < file.pageCount ? file.page(index) : file.pageAt(page.ifdOffset + index * stride)),
    fileOf: () => file,
    note: asCorrupted(
      `The chain of pages ends after ${plural(file.pageCount, 'page')}, but ${grouped(count - file.pageCount)} more follow ` +
        'at the same distance from each other. Showing these too.',
    ),
  };
}

/** Returns the distance in bytes between pages if it is the same for IFDs and data, at both ends of the chain. */
function findConstantStride(file: TiffFile): number | undefined {
  const last = file.pageCount - 1;
  const pages = [0, 1, 2, last - 1, last].map((index) => ({ index, page: file.page(index) }));
  const first = pages[0]!.page;
  const start = contiguousData(first)?.offset;
  const stride = pages[1]!.page.ifdOffset - first.ifdOffset;
  if (start === undefined || stride <= 0) return undefined;
  const isRegular = pages.every(
    ({ index, page }) =>
      page.ifdOffset === first.ifdOffset + index * stride && contiguousData(page)?.offset === start + index * stride,
  );
  return isRegular ? stride : undefined;
}

function isPageAt(file: TiffFile, page: TiffPage, offset: number): boolean {
  const { width } = page.layout;
  return ignoreCorrupted(() => file.pageAt(offset).number(TAG.imageWidth)) === width;
}
