/** Fewer points for paths that were drawn by hand. */
import type { Point } from '../model/geometry.ts';

/**
 * Returns the positions of at most `max` points from which a path is never farther than needed (Douglas and Peucker); at
 * first `tolerance`. The ends stay.
 */
export function simplify(points: readonly Point[], tolerance: number, max: number): number[] {
  for (let reach = tolerance; ; reach *= 1.5) {
    const kept = keptPoints(points, reach);
    if (kept.length <= max) return kept;
  }
}

function keptPoints(points: readonly Point[], reach: number): number[] {
  const last = points.length - 1;
  const kept = new Set([0, last]);
  const pieces: [number, number][] = [[0, last]];
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    const [from, to] = piece;
    let farthest = { at: -1, distance: reach };
    for (let at = from + 1; at < to; at++) {
      const distance = distanceToPiece(points[at]!, points[from]!, points[to]!);
      if (distance > farthest.distance) farthest = { at, distance };
    }
    if (farthest.at < 0) continue;
    kept.add(farthest.at);
    pieces.push([from, farthest.at], [farthest.at, to]);
  }
  return [...kept].sort((a, b) => a - b);
}

/** Returns the distance of a point from a straight piece. */
export function distanceToPiece(point: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const square = dx * dx + dy * dy;
  const part = square === 0 ? 0 : Math.min(1, Math.max(0, ((point.x - a.x) * dx + (point.y - a.y) * dy) / square));
  return Math.hypot(point.x - a.x - part * dx, point.y - a.y - part * dy);
}
