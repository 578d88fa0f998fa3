import { type AxisKind, type GridAxis, gridSize, toIndices, toLinear } from '../../../model/metadata/mixed-radix.js';
import type { RawTiffData } from '../../../model/metadata/ome-document.js';
import type { Duplicates } from '../../../model/metadata/plane-map.js';

/** Consecutive planes (in DimensionOrder) on consecutive pages of one file. */
export interface PlaneRange {
  /** Number of the first plane. */
  start: number;
  count: number;
  /** As in `RawTiffData`. */
  file: number;
  ifd: number;
  /** The end follows from the sizes or from the pages of the file, not from the metadata. */
  isOpenEnded: boolean;
}

export interface OmePlaneMap {
  /** Fastest first. */
  axes: GridAxis[];
  /** Sorted, without overlaps. */
  ranges: PlaneRange[];
  /** `TiffData` elements whose first plane is outside the sizes. */
  outside: number;
  /** Planes that several `TiffData` elements put on different pages. */
  duplicates?: Duplicates;
}

/**
 * Maps planes to pages. From FirstZ, FirstC, FirstT on, PlaneCount planes in DimensionOrder are on pages IFD, IFD + 1, …
 * Without any `TiffData`, all pages of the file count in order. Where elements overlap, the one that starts later wins.
 * @param countPages returns the pages of a file if they are known; they limit what an element claims
 */
export function mapPlanes(
  axes: GridAxis[],
  tiffData: readonly RawTiffData[],
  countPages: (file: number) => number | undefined,
): OmePlaneMap {
  const elements = tiffData.length > 0 ? tiffData : [{ ifd: 0, z: 0, c: 0, t: 0, count: undefined, file: -1 }];
  const total = gridSize(axes);
  const ranges: PlaneRange[] = [];
  let outside = 0;
  for (const element of elements) {
    const start = firstPlane(axes, element);
    if (start === undefined) {
      outside++;
      continue;
    }
    const claimed = Math.min(element.count ?? Number.POSITIVE_INFINITY, total - start);
    const available = Math.max(0, (countPages(element.file) ?? Number.POSITIVE_INFINITY) - element.ifd);
    const count = Math.min(claimed, available);
    const isOpenEnded = element.count === undefined;
    if (count > 0) appendRange(ranges, { start, count, file: element.file, ifd: element.ifd, isOpenEnded });
  }
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  const duplicates = findDuplicates(axes, sorted);
  return { axes, ranges: removeOverlaps(sorted), outside, ...(duplicates ? { duplicates } : {}) };
}

/** Returns the number of the first plane of an element, or `undefined` if it is outside the sizes. */
function firstPlane(axes: readonly GridAxis[], { z, c, t }: RawTiffData): number | undefined {
  const first = { S: 0, C: c, T: t, Z: z };
  return axes.some(({ kind, size }) => first[kind] >= size) ? undefined : toLinear(axes, first);
}

/** Files usually have one element per plane; neighbors become one range. */
function appendRange(ranges: PlaneRange[], next: PlaneRange): void {
  const last = ranges.at(-1);
  const continues =
    last?.file === next.file && last.start + last.count === next.start && last.ifd + last.count === next.ifd;
  if (last && continues && !last.isOpenEnded && !next.isOpenEnded) last.count += next.count;
  else ranges.push(next);
}

/**
 * Counts the planes that two elements put on different pages. An element without a count claims all further planes, as far as
 * no other one starts there.
 */
function findDuplicates(axes: readonly GridAxis[], sorted: readonly PlaneRange[]): Duplicates | undefined {
  let count = 0;
  let first: number | undefined;
  for (const [i, next] of sorted.entries()) {
    const range = sorted[i - 1];
    if (!range || (range.isOpenEnded && range.start < next.start)) continue;
    const isSamePage = range.file === next.file && range.ifd + next.start - range.start === next.ifd;
    const overlap = Math.min(range.start + range.count - next.start, next.count);
    if (isSamePage || overlap <= 0) continue;
    count += range.isOpenEnded || next.isOpenEnded ? 1 : overlap;
    first ??= next.start;
  }
  if (first === undefined) return undefined;
  const { T, Z, C } = toIndices(axes, first);
  return { count, first: { scene: 0, channel: C, t: T, z: Z } };
}

function removeOverlaps(sorted: readonly PlaneRange[]): PlaneRange[] {
  return sorted.flatMap((range, i) => {
    const next = sorted[i + 1]?.start ?? Number.POSITIVE_INFINITY;
    const count = Math.min(range.count, next - range.start);
    return count > 0 ? [{ ...range, count }] : [];
  });
}

/** Finds the range that contains a plane. */
export function findRange(ranges: readonly PlaneRange[], plane: number): PlaneRange | undefined {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle]!;
    if (plane < range.start) high = middle - 1;
    else if (plane >= range.start + range.count) low = middle + 1;
    else return range;
  }
  return undefined;
}

/** Returns the number of planes that have a page. */
export function countMapped({ ranges }: OmePlaneMap): number {
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

/** A map whose slowest axis was shortened: the axis and its new size. */
export interface TrimmedMap {
  map: OmePlaneMap;
  trimmed?: { kind: AxisKind; size: number };
}

/**
 * Shortens the slowest axis with more than one plane to the mapped planes: an interrupted recording ends early rather than
 * with empty frames. Channels are never dropped.
 */
export function trimSlowest(map: OmePlaneMap): TrimmedMap {
  const slowest = map.axes.findLast(({ size }) => size > 1);
  const last = map.ranges.at(-1);
  if (!slowest || !last || slowest.kind === 'C') return { map };
  const stride = gridSize(map.axes.slice(0, map.axes.indexOf(slowest)));
  const size = Math.ceil((last.start + last.count) / stride);
  if (size >= slowest.size) return { map };
  const axes = map.axes.map((axis) => (axis === slowest ? { ...axis, size } : axis));
  return { map: { ...map, axes }, trimmed: { kind: slowest.kind, size } };
}
