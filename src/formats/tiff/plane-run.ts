import type { TiffFile, TiffPage } from '../../tiff/types.js';
import { contiguousData } from './contiguous.js';

/** Planes that follow one IFD without IFDs of their own, side by side. */
export interface PlaneRun {
  offset: number;
  /** Bytes of one plane with all its samples. */
  planeBytes: number;
  /** Whole planes between `offset` and the end of the file. */
  available: number;
}

/** Planes that may follow the one of `page`; `undefined` unless it is uncompressed, in whole bytes and in one piece. */
export function planeRun(file: TiffFile, page: TiffPage): PlaneRun | undefined {
  const { layout } = page;
  if (layout.predictor !== 1 || layout.bits % 8 !== 0) return undefined;
  const data = contiguousData(page);
  if (!data || data.offset <= 0) return undefined;
  const available = Math.floor((file.source.size - data.offset) / data.bytes);
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
  const run = claimed > pages ? planeRun(file, page) : undefined;
  if (!run || run.available <= pages) return { count: pages, run: undefined };
  const count = Math.min(claimed, run.available);
  const end = run.offset + count * run.planeBytes;
  if (page.nextIfdOffset > run.offset && page.nextIfdOffset < end) return { count: pages, run: undefined };
  return { count, run };
}
