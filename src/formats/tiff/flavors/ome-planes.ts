import { type AxisKind, type GridAxis, toLinear } from '../../../metadata/mixed-radix.js';
import type { RawTiffData } from './ome-xml.js';

/** Consecutive planes (in DimensionOrder) on consecutive pages of one file. */
export interface PlaneRange {
  /** Linear index of the first plane. */
  start: number;
  count: number;
  /** As in `RawTiffData`. */
  file: number;
  ifd: number;
}

export interface PlaneMap {
  /** Fastest first. */
  axes: GridAxis[];
  /** Sorted, without overlaps. */
  ranges: PlaneRange[];
  /** `TiffData` whose first plane lies outside the sizes. */
  outside: number;
  /** Planes on pages that their file does not have. */
  beyondFile: number;
}

export interface PlaneCounts {
  C: number;
  Z: number;
  T: number;
}

/** The three page axes of a DimensionOrder, fastest first; `undefined` when it is none. */
export function pageAxes(order: string, sizes: PlaneCounts): GridAxis[] | undefined {
  const match = /^XY([ZCT])([ZCT])([ZCT])$/.exec(order.trim().toUpperCase());
  if (!match || new Set(match.slice(1)).size !== 3) return undefined;
  const kinds = match.slice(1) as ('Z' | 'C' | 'T')[];
  return kinds.map((kind) => ({ kind, size: sizes[kind] }));
}

/**
 * Places planes on pages: from FirstZ, FirstC, FirstT on, PlaneCount planes in DimensionOrder lie on pages IFD, IFD + 1, …
 * Without any `TiffData` all pages of the file are taken in order. Where elements overlap, the one that starts later wins.
 * @param pages pages of a file where they are known; they cap what an element claims
 */
export function mapPlanes(
  axes: GridAxis[],
  tiffData: readonly RawTiffData[],
  pages: (file: number) => number | undefined,
): PlaneMap {
  const all = tiffData.length > 0 ? tiffData : [{ ifd: 0, z: 0, c: 0, t: 0, count: undefined, file: -1 }];
  const total = axes.reduce((product, { size }) => product * size, 1);
  const map: PlaneMap = { axes, ranges: [], outside: 0, beyondFile: 0 };
  for (const one of all) {
    const start = firstPlane(axes, one);
    if (start === undefined) {
      map.outside++;
      continue;
    }
    const claimed = Math.min(one.count ?? Number.POSITIVE_INFINITY, total - start);
    const available = Math.max(0, (pages(one.file) ?? Number.POSITIVE_INFINITY) - one.ifd);
    if (available < claimed && one.count !== undefined) map.beyondFile += claimed - available;
    const count = Math.min(claimed, available);
    if (count > 0) append(map.ranges, { start, count, file: one.file, ifd: one.ifd });
  }
  map.ranges = withoutOverlaps(map.ranges);
  return map;
}

/** Returns the number of the first plane of an element, or `undefined` if it is outside the sizes. */
function firstPlane(axes: readonly GridAxis[], { z, c, t }: RawTiffData): number | undefined {
  const first = { S: 0, C: c, T: t, Z: z };
  return axes.some(({ kind, size }) => first[kind] >= size) ? undefined : toLinear(axes, first);
}

/** One element per plane is the rule; neighbours become one range. */
function append(ranges: PlaneRange[], next: PlaneRange): void {
  const last = ranges.at(-1);
  const continues =
    last?.file === next.file && last.start + last.count === next.start && last.ifd + last.count === next.ifd;
  if (last && continues) last.count += next.count;
  else ranges.push(next);
}

function withoutOverlaps(ranges: PlaneRange[]): PlaneRange[] {
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  const kept: PlaneRange[] = [];
  for (const [i, range] of sorted.entries()) {
    const next = sorted[i + 1]?.start ?? Number.POSITIVE_INFINITY;
    const count = Math.min(range.count, next - range.start);
    if (count > 0) kept.push({ ...range, count });
  }
  return kept;
}

/** The range that holds a plane. */
export function rangeAt(ranges: readonly PlaneRange[], plane: number): PlaneRange | undefined {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle] as PlaneRange;
    if (plane < range.start) high = middle - 1;
    else if (plane >= range.start + range.count) low = middle + 1;
    else return range;
  }
  return undefined;
}

/** Planes that have a page. */
export function mappedPlanes({ ranges }: PlaneMap): number {
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

/**
 * The slowest axis with more than one plane, cut to what is mapped: an interrupted recording ends early, it does not
 * have empty frames. Returns the cut axis, `undefined` when nothing was cut (channels never are).
 */
export function trimSlowest(map: PlaneMap): { kind: AxisKind; from: number; to: number } | undefined {
  const slowest = map.axes.findLast(({ size }) => size > 1);
  const last = map.ranges.at(-1);
  if (!slowest || !last || slowest.kind === 'C') return undefined;
  const stride = map.axes.slice(0, map.axes.indexOf(slowest)).reduce((product, { size }) => product * size, 1);
  const held = Math.ceil((last.start + last.count) / stride);
  if (held >= slowest.size) return undefined;
  const from = slowest.size;
  slowest.size = held;
  return { kind: slowest.kind, from, to: held };
}
