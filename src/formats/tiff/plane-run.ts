import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { contiguousData } from './contiguous.js';

/** Planes that follow one IFD without IFDs of their own, side by side. */
export interface PlaneRun {
  offset: number;
  /** Bytes of one plane with all its samples. */
  planeBytes: number;
  /** Whole planes between `offset` and the next IFD, or the end of the file. */
  available: number;
}

/**
 * `claimed` planes from that of `page` on; `undefined` unless they are uncompressed, in whole bytes and in one piece, and
 * no further page lies among them. Where that page should be decides, not whether it can still be read: in a file that
 * is cut off, its bytes would be taken for samples.
 */
export function planeRun(file: TiffFile, page: TiffPage, claimed: number): PlaneRun | undefined {
  const { layout, nextIfdOffset: next } = page;
  if (layout.predictor !== 1 || layout.bits % 8 !== 0) return undefined;
  const data = contiguousData(page);
  if (!data || data.offset <= 0) return undefined;
  const { size } = file.source;
  const planesUpTo = (end: number) => Math.floor((end - data.offset) / data.bytes);
  if (next !== 0 && next <= data.offset) return undefined;
  // A pointer behind the end of the file may be damaged: then it does not end the planes that are claimed.
  if (next >= size && planesUpTo(next) !== claimed) return undefined;
  const available = planesUpTo(next === 0 ? size : Math.min(next, size));
  return { offset: data.offset, planeBytes: data.bytes, available };
}

/**
 * How many planes the file holds when its text claims `claimed`: one per IFD; or, when IFDs are too few and all planes
 * lie before a second IFD, what follows the first one. `run` is set in the second case.
 */
export function countPlanes(
  file: TiffFile,
  page: TiffPage,
  claimed: number,
): { count: number; run: PlaneRun | undefined } {
  const pages = file.pageCount;
  const run = claimed > pages ? planeRun(file, page, claimed) : undefined;
  const count = Math.min(claimed, run?.available ?? 0);
  return run && count > pages ? { count, run } : { count: pages, run: undefined };
}
