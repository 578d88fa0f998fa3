import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { contiguousData } from './contiguous.js';

/** Consecutive planes after a single IFD, without IFDs of their own. */
export interface PlaneRun {
  offset: number;
  /** Size in bytes of one plane with all its samples. */
  planeBytes: number;
  /** Complete planes between `offset` and what follows them: the IFD of the page, a value of its tags, the next IFD, the end of the file. */
  available: number;
}

/**
 * Returns the run of `claimed` planes that starts with the plane of `page`, or `undefined` unless the planes are
 * uncompressed, contiguous, in whole bytes, and without another page between them. The position where that page should
 * be decides, not whether the page can be read: in a truncated file, its bytes would be served as samples.
 */
export function findPlaneRun(file: TiffFile, page: TiffPage, claimed: number): PlaneRun | undefined {
  const { layout, nextIfdOffset: next } = page;
  if (layout.predictor !== 1 || layout.bits % 8 !== 0) return undefined;
  const data = contiguousData(page);
  if (!data || data.offset <= 0) return undefined;
  const { size } = file.source;
  const planesUpTo = (end: number) => Math.floor((end - data.offset) / data.bytes);
  if (next !== 0 && next <= data.offset) return undefined;
  // A pointer beyond the end of the file may be corrupted. It does not end the run if the run ends at the claimed planes.
  if (next >= size && planesUpTo(next) !== claimed) return undefined;
  // The IFD of the page, and values of its tags, may follow the samples.
  const parts = [next, page.ifdOffset, ...[...page.tags.values()].map(({ valueOffset }) => valueOffset)];
  const behind = parts.filter((offset) => offset > data.offset);
  const available = planesUpTo(Math.min(size, ...behind));
  return { offset: data.offset, planeBytes: data.bytes, available };
}

/**
 * Counts the planes of a file whose description claims `claimed` planes: one per IFD, or, if there are fewer IFDs and all
 * planes are before the second IFD, those that follow the first one. `run` is set in the second case.
 */
export function countPlanes(
  file: TiffFile,
  page: TiffPage,
  claimed: number,
): { count: number; run: PlaneRun | undefined } {
  const pages = file.pageCount;
  const run = claimed > pages ? findPlaneRun(file, page, claimed) : undefined;
  const count = Math.min(claimed, run?.available ?? 0);
  return run && count > pages ? { count, run } : { count: pages, run: undefined };
}
