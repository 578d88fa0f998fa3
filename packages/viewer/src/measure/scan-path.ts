/**
 * The path of the scanner on the reference image, and the positions of the pixels of a line on it. `scanPath` and
 * `lineRoi` are in pixels of the reference: x along columns, y along rows.
 */
import type { Reference } from '@acquisition-store/client/contract/open.js';
import type { PlanePoint, Point } from '../model/geometry.ts';

export interface ScanPath {
  readonly points: readonly Point[];
  /** Length of the path up to each point. */
  readonly lengths: Float64Array;
  readonly total: number;
}

/** Returns the scan path, or the straight line; null without both or when the length is 0. */
export function toScanPath(reference: Pick<Reference, 'scanPath' | 'lineRoi'> | null): ScanPath | null {
  const points = reference === null ? [] : toPoints(reference);
  const lengths = new Float64Array(points.length);
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    lengths[i] = lengths[i - 1]! + Math.hypot(b.x - a.x, b.y - a.y);
  }
  const total = lengths.at(-1) ?? 0;
  return total > 0 ? { points, lengths, total } : null;
}

function toPoints({ scanPath, lineRoi }: Pick<Reference, 'scanPath' | 'lineRoi'>): Point[] {
  if (scanPath) return scanPath.x.map((x, i) => ({ x, y: scanPath.y[i]! }));
  if (!lineRoi) return [];
  const [x0, y0, x1, y1] = lineRoi as [number, number, number, number];
  return [
    { x: x0, y: y0 },
    { x: x1, y: y1 },
  ];
}

/**
 * Returns the point of the path for a position `column` on a line of `columns` samples. Pixels have equal lengths on
 * the path, unless the path has one vertex per pixel.
 */
export function pointOnPath({ points, lengths, total }: ScanPath, column: number, columns: number): Point {
  const along = Math.min(columns, Math.max(0, column));
  if (points.length === columns) {
    const at = Math.min(columns - 1, Math.max(0, along - 0.5));
    return between(points[Math.floor(at)]!, points[Math.ceil(at)]!, at - Math.floor(at));
  }
  const length = (along / columns) * total;
  let next = lengths.findIndex((end) => end >= length);
  if (next <= 0) next = 1;
  const from = lengths[next - 1]!;
  const to = lengths[next]!;
  return between(points[next - 1]!, points[next]!, to > from ? (length - from) / (to - from) : 0);
}

/**
 * Returns the position on the line that is nearest to a point of the reference, and the distance in reference pixels.
 */
export function nearestOnPath(path: ScanPath, { row, column }: PlanePoint, columns: number) {
  const { points, lengths, total } = path;
  let best = { distance: Number.POSITIVE_INFINITY, column: 0 };
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const square = dx * dx + dy * dy;
    const part = square > 0 ? Math.min(1, Math.max(0, ((column - a.x) * dx + (row - a.y) * dy) / square)) : 0;
    const distance = Math.hypot(column - a.x - part * dx, row - a.y - part * dy);
    if (distance >= best.distance) continue;
    const along = lengths[i - 1]! + part * (lengths[i]! - lengths[i - 1]!);
    const position = points.length === columns ? i - 1 + part + 0.5 : (along / total) * columns;
    best = { distance, column: position };
  }
  return best;
}

function between(a: Point, b: Point, part: number): Point {
  return { x: a.x + part * (b.x - a.x), y: a.y + part * (b.y - a.y) };
}
