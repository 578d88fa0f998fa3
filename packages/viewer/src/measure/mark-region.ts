/** The samples that a mark encloses. */
import { ellipseBetween, polygonThrough } from '../analysis/area.ts';
import { type PlaneRegion, regionBetween } from '../analysis/region.ts';
import type { Mark, Shape } from '../model/document.ts';
import { isBox, isClosed } from '../model/mark-kind.ts';
import { corner, markPoints } from './marks.ts';

/** Regions of marks, which never change: many who ask for one know only its mark. */
const known = new WeakMap<Mark, { readonly shape: Shape; readonly region: PlaneRegion }>();

/** Returns the samples of a region, ellipse, polygon or freehand region. */
export function markRegion(mark: Mark, shape: Shape): PlaneRegion {
  const found = known.get(mark);
  if (found?.shape[0] === shape[0] && found.shape[1] === shape[1]) return found.region;
  const region = compute(mark, shape);
  known.set(mark, { shape, region });
  return region;
}

function compute(mark: Mark, shape: Shape): PlaneRegion {
  if (mark.kind === 'ellipse') return ellipseBetween(mark.from, mark.to, shape);
  return isClosed(mark.kind) ? polygonThrough(markPoints(mark), shape) : regionBetween(mark.from, mark.to, shape);
}

/**
 * Returns a rectangle or ellipse with its edges between samples: what is drawn is what is measured. Other marks stay as they
 * are.
 */
export function withWholeSamples<M extends Omit<Mark, 'id'>>(mark: M, shape: Shape): M {
  if (!isBox(mark.kind)) return mark;
  const { from, to } = mark;
  const { rows, columns } = regionBetween(from, to, shape);
  const ordered = (forward: boolean, [first, end]: readonly [number, number]) =>
    forward ? [first, end] : [end, first];
  const [top, bottom] = ordered(from.row <= to.row, rows);
  const [left, right] = ordered(from.column <= to.column, columns);
  return { ...mark, from: { row: top!, column: left! }, to: { row: bottom!, column: right! } };
}

/** Returns the rows and columns that the outline of a mark touches. */
export function markBounds(mark: Mark, shape: Shape): PlaneRegion {
  const points = markPoints(mark);
  return regionBetween(corner(points, Math.min), corner(points, Math.max), shape);
}
