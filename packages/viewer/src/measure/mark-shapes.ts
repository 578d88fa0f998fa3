/** Shapes of marks: their lines, the grips of the selected one, and labels with their number and result. */
import type { Mark, Pane } from '../model/document.ts';
import type { CardContext } from '../model/extension.ts';
import type { Point, Size } from '../model/geometry.ts';
import { isArea, isPath } from '../model/mark-kind.ts';
import type { DrawnShape } from '../model/shapes.ts';
import { gripPoints, outlinePoints } from './grips.ts';
import { markColor } from './mark-colors.ts';
import { lineWidth, markPoints } from './marks.ts';
import { lineSummary, measureMark } from './summary.ts';

/** What follows the pointer. */
export const SELECTED = '#ffd54a';

/** Returns the shapes of all marks. `selected` is the id of the one that is drawn with its grips. */
export function markShapes(card: CardContext, selected: string | null): DrawnShape[] {
  const { marks } = card.pane;
  return marks.value.flatMap((mark) => {
    const color = markColor(mark);
    const chosen = mark.id === selected;
    const grips = chosen ? gripPoints(mark, card).map(([, at]) => at) : [];
    const points = outlinePoints(mark, card);
    const bounds = boundsOf(points);
    // Otherwise the labels of marks beside the view would gather at its edges.
    if (!isVisible(bounds, card.size)) return [];
    return [
      ...edges(mark, card, color),
      mark.kind === 'point' ? dot(points[0]!, 4, color) : path(points, chosen ? 3 : 2, color),
      ...grips.map((at) => dot(at, 4, color)),
      label(mark, points, bounds, card.pane, color),
    ];
  });
}

export function dot(at: Point, radius: number, color: string): DrawnShape {
  return { kind: 'dot', at, radius, color };
}

export function path(points: readonly Point[], width: number, color: string): DrawnShape {
  return { kind: 'path', points, width, color };
}

/** The band across which the samples of a wide line are averaged, for each of its pieces. */
function edges(mark: Mark, card: CardContext, color: string): DrawnShape[] {
  const width = lineWidth(mark, card.pane);
  if (width === 1) return [];
  const points = markPoints(mark);
  return points.slice(1).flatMap((to, i) => {
    const from = points[i]!;
    const length = Math.hypot(to.row - from.row, to.column - from.column);
    if (length === 0) return [];
    const [down, right] = [(to.column - from.column) / length, (from.row - to.row) / length];
    const beside = ({ row, column }: typeof from, side: number) =>
      card.toScreen({ row: row + (side * width * down) / 2, column: column + (side * width * right) / 2 });
    const corners = [beside(from, 1), beside(to, 1), beside(to, -1), beside(from, -1), beside(from, 1)];
    return [path(corners, 1, color)];
  });
}

/** The label is next to the middle of a line, at the end of another path, and at the upper left corner of a region. */
function label(mark: Mark, points: readonly Point[], { low }: MarkBox, pane: Pane, color: string): DrawnShape {
  const number = { number: mark.id, text: labelText(mark, pane), color };
  const [a, b] = [points[0]!, points.at(-1)!];
  if (mark.kind === 'line') return { kind: 'label', at: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, ...number };
  if (!isArea(mark.kind)) return { kind: 'label', at: b, ...number };
  return { kind: 'label', at: { x: low.x - 6, y: low.y + 3 }, ...number };
}

interface MarkBox {
  readonly low: Point;
  readonly high: Point;
}

function boundsOf(points: readonly Point[]): MarkBox {
  const low = { x: Number.POSITIVE_INFINITY, y: Number.POSITIVE_INFINITY };
  const high = { x: Number.NEGATIVE_INFINITY, y: Number.NEGATIVE_INFINITY };
  for (const { x, y } of points) {
    low.x = Math.min(low.x, x);
    low.y = Math.min(low.y, y);
    high.x = Math.max(high.x, x);
    high.y = Math.max(high.y, y);
  }
  return { low, high };
}

/** True when bounds and the area of the image have a point in common. */
function isVisible({ low, high }: MarkBox, { width, height }: Size): boolean {
  return low.x <= width && high.x >= 0 && low.y <= height && high.y >= 0;
}

/** Returns the name that the user gave, and the result of a line. */
function labelText(mark: Mark, pane: Pane): string {
  const result = isPath(mark.kind) ? lineSummary(measureMark(mark, pane)) : '';
  return [mark.name ?? '', result].filter((part) => part !== '').join(' · ');
}
