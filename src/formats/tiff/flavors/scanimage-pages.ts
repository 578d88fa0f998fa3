import { AcqError } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { FlavorContext, PlaneLocation } from '../arrangement.js';
import { contiguousData } from '../contiguous.js';

const IMAGE_WIDTH = 256;

/** The pages of a file, also those that its chain does not reach. */
export interface PageRun {
  count: number;
  locate(index: number): Omit<PlaneLocation, 'sample'>;
}

/**
 * Pages of the chain. ScanImage up to 2015 wrote classic TIFFs beyond 2 and 4 GB, where the pointers of the chain
 * overflow; there every page has the same length, so the planes behind the break are found by their distance. Only
 * when the chain is broken, and only when an IFD is found where the last of them must have it.
 */
export function findPages(context: FlavorContext): PageRun {
  const { file, page } = context;
  const reached: PageRun = {
    count: file.pageCount,
    locate: (index) => ({ file, page: file.page(index) }),
  };
  if (file.bigTiff || file.warnings.length === 0 || file.pageCount < 3) return reached;
  const stride = constantStride(context);
  const start = contiguousData(page);
  if (stride === undefined || start === undefined) return reached;
  const behind = Math.floor((file.source.size - start.offset - start.bytes) / stride) + 1;
  const count = Math.min(behind, LIMITS.tiffPages);
  if (count <= file.pageCount || !isPageAt(context, page.ifdOffset + (count - 1) * stride)) return reached;
  context.warnings.push(
    `the chain of pages reaches ${file.pageCount} pages; ${count - file.pageCount} more lie behind it at the same ` +
      'distance from each other and are shown too',
  );
  return {
    count,
    locate: (index) =>
      index < file.pageCount
        ? { file, page: file.page(index) }
        : { file, page, dataOffset: start.offset + index * stride },
  };
}

/** Bytes from page to page when it is the same for IFDs and data, at the start and at the end of the chain. */
function constantStride({ file }: FlavorContext): number | undefined {
  const last = file.pageCount - 1;
  const pages = [0, 1, 2, last - 1, last].map((index) => ({ index, page: file.page(index) }));
  const first = pages[0]?.page as TiffPage;
  const start = contiguousData(first)?.offset;
  const stride = (pages[1]?.page.ifdOffset as number) - first.ifdOffset;
  if (start === undefined || stride <= 0) return undefined;
  const regular = pages.every(
    ({ index, page }) =>
      page.ifdOffset === first.ifdOffset + index * stride && contiguousData(page)?.offset === start + index * stride,
  );
  return regular ? stride : undefined;
}

function isPageAt({ file, page }: FlavorContext, offset: number): boolean {
  try {
    return file.pageAt(offset).number(IMAGE_WIDTH) === page.layout.width;
  } catch (error) {
    if (error instanceof AcqError) return false;
    throw error;
  }
}
