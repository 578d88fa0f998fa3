import type { Mark } from '../model/document.ts';
import type { CardContext } from '../model/extension.ts';
import type { Point } from '../model/geometry.ts';
import { type Grip, markPoints } from './marks.ts';

/** Max distance of the pointer from a grip or a line, in CSS pixels. */
const REACH = 7;

/** Returns the positions of the grips of a mark on screen. */
export function gripPoints(mark: Mark, card: CardContext): readonly (readonly [Grip, Point])[] {
  const from = ['from', card.toScreen(mark.from)] as const;
  const to = ['to', card.toScreen(mark.to)] as const;
  if (mark.kind === 'point') return [from];
  if (mark.kind !== 'region') {
    return [from, to, ...(mark.via ?? []).map((point, i) => [i, card.toScreen(point)] as const)];
  }
  const mixed = card.toScreen({ row: mark.from.row, column: mark.to.column });
  const other = card.toScreen({ row: mark.to.row, column: mark.from.column });
  return [from, to, ['from-to', mixed] as const, ['to-from', other] as const];
}

/**
 * Returns the mark and the grip at a point of the screen. The selected mark comes first, then newer before older marks.
 */
export function gripAt(point: Point, card: CardContext): { mark: Mark; grip: Grip } | null {
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
  const around = card.pane.marks.value.filter(
    ({ kind, from, to }) =>
      kind === 'region' && (row - from.row) * (row - to.row) <= 0 && (column - from.column) * (column - to.column) <= 0,
  );
  const size = ({ from, to }: Mark) => Math.abs((to.row - from.row) * (to.column - from.column));
  around.sort((a, b) => size(a) - size(b));
  return gripAt(point, card)?.mark ?? around[0] ?? null;
}

/** True on a line or on the border of a region. The inside of a region is free for new regions. */
function onBody(mark: Mark, point: Point, card: CardContext): boolean {
  const points = markPoints(mark).map(card.toScreen);
  if (mark.kind !== 'region') {
    return points.some((end, i) => i > 0 && distanceToSegment(point, points[i - 1]!, end) <= REACH);
  }
  const [a, b] = [card.toScreen(mark.from), card.toScreen(mark.to)];
  const [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)];
  const [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)];
  const inside = (by: number) =>
    point.x >= left - by && point.x <= right + by && point.y >= top - by && point.y <= bottom + by;
  return inside(REACH) && !inside(-REACH);
}

function distanceToSegment(point: Point, a: Point, b: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const square = dx * dx + dy * dy;
  const part = square === 0 ? 0 : Math.min(1, Math.max(0, ((point.x - a.x) * dx + (point.y - a.y) * dy) / square));
  return Math.hypot(point.x - a.x - part * dx, point.y - a.y - part * dy);
}
