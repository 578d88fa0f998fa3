import { sampleCount } from '../analysis/region.ts';
import { rowsOf } from '../image/plane-axes.ts';
import type { Mark } from '../model/document.ts';
import type { CardContext } from '../model/extension.ts';
import type { PlanePoint, Point } from '../model/geometry.ts';
import { isArea, isBox, isClosed, isFreehand } from '../model/mark-kind.ts';
import { BEFORE_EDGE } from '../model/row-layout.ts';
import { markBounds } from './mark-region.ts';
import { type MarkGrip, markPoints } from './marks.ts';
import { distanceToPiece } from './simplify.ts';

/** Max distance of the pointer from a grip or a line, in CSS pixels. */
const REACH = 7;

/** Returns the ends of a mark on screen. A box that ends with the row before a pause does not reach over it. */
function endsOf({ kind, from, to }: Mark, { pane }: CardContext): Pick<Mark, 'from' | 'to'> {
  if (!isBox(kind) || rowsOf(pane) === null) return { from, to };
  const before = (end: PlanePoint, other: PlanePoint) =>
    end.row > other.row ? { ...end, row: end.row - BEFORE_EDGE } : end;
  return { from: before(from, to), to: before(to, from) };
}

/** Returns the positions of the grips of a mark on screen. */
export function gripPoints(mark: Mark, card: CardContext): readonly (readonly [MarkGrip, Point])[] {
  const ends = endsOf(mark, card);
  const from = ['from', card.toScreen(ends.from)] as const;
  const to = ['to', card.toScreen(ends.to)] as const;
  if (mark.kind === 'point') return [from];
  // A freehand outline has too many points for grips: it moves as a whole.
  if (isFreehand(mark.kind)) return [];
  if (!isBox(mark.kind)) {
    return [from, to, ...(mark.via ?? []).map((point, i) => [i, card.toScreen(point)] as const)];
  }
  const mixed = card.toScreen({ row: ends.from.row, column: ends.to.column });
  const other = card.toScreen({ row: ends.to.row, column: ends.from.column });
  return [from, to, ['from-to', mixed] as const, ['to-from', other] as const];
}

/** Returns the line or the closed outline of a mark on screen. */
export function outlinePoints(mark: Mark, card: CardContext): readonly Point[] {
  if (mark.kind === 'ellipse') return ellipsePoints(mark, card);
  const { from, to } = endsOf(mark, card);
  if (mark.kind === 'region') {
    const corners = [from, { row: from.row, column: to.column }, to, { row: to.row, column: from.column }, from];
    return corners.map(card.toScreen);
  }
  const points = markPoints(mark).map(card.toScreen);
  return isClosed(mark.kind) ? [...points, points[0]!] : points;
}

/** Pieces of an ellipse on screen. */
const PIECES = 72;

function ellipsePoints(mark: Mark, { pane, toScreen }: CardContext): Point[] {
  const { rows, columns } = markBounds(mark, pane.shape);
  const across = ([from, to]: readonly [number, number], share: number) => (from + to + (to - from) * share) / 2;
  return Array.from({ length: PIECES + 1 }, (_, i) => {
    const angle = (2 * Math.PI * i) / PIECES;
    return toScreen({ row: across(rows, Math.sin(angle)), column: across(columns, Math.cos(angle)) });
  });
}

/**
 * Returns the mark and the grip at a point of the screen. The selected mark comes first, then newer before older marks.
 */
export function gripAt(point: Point, card: CardContext): { mark: Mark; grip: MarkGrip } | null {
  const { marks, selectedMark } = card.pane;
  const order = [...marks.value].reverse();
  order.sort((a, b) => Number(b.id === selectedMark.value) - Number(a.id === selectedMark.value));
  for (const mark of order) {
    for (const [grip, at] of gripPoints(mark, card)) {
      if (Math.hypot(at.x - point.x, at.y - point.y) <= REACH) return { mark, grip };
    }
    if (onBody(mark, point, card)) return { mark, grip: 'body' };
  }
  return null;
}

/** Returns the mark at a point of the screen: what could be dragged there, otherwise the smallest region around it. */
export function markAt(point: Point, card: CardContext): Mark | null {
  const { row, column } = card.toPlane(point);
  const { marks, shape } = card.pane;
  const around = marks.value.filter((mark) => {
    if (!isArea(mark.kind)) return false;
    const { rows, columns } = markBounds(mark, shape);
    return row >= rows[0] && row <= rows[1] && column >= columns[0] && column <= columns[1];
  });
  const size = (mark: Mark) => sampleCount(markBounds(mark, shape));
  around.sort((a, b) => size(a) - size(b));
  return gripAt(point, card)?.mark ?? around[0] ?? null;
}

/** True on a line or on the border of a region. The inside of a region is free for new regions. */
function onBody(mark: Mark, point: Point, card: CardContext): boolean {
  const points = outlinePoints(mark, card);
  if (mark.kind !== 'region') {
    return points.some((end, i) => i > 0 && distanceToPiece(point, points[i - 1]!, end) <= REACH);
  }
  const { from, to } = endsOf(mark, card);
  const [a, b] = [card.toScreen(from), card.toScreen(to)];
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  const inside = (by: number) =>
    point.x >= left - by && point.x <= right + by && point.y >= top - by && point.y <= bottom + by;
  return inside(REACH) && !inside(-REACH);
}
