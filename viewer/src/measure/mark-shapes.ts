/** Shapes of marks: their lines, the grips of the selected one, and labels with their number and result. */
import type { Mark, Pane } from '../model/document.ts';
import type { CardContext } from '../model/extension.ts';
import type { Point } from '../model/geometry.ts';
import { isArea, isPath } from '../model/mark-kind.ts';
import type { Shape } from '../model/shapes.ts';
import { gripPoints, outlinePoints } from './grips.ts';
import { markColor } from './mark-colors.ts';
import { lineWidth, markPoints } from './marks.ts';
import { lineSummary, measureMark } from './summary.ts';

/** What follows the pointer. */
export const SELECTED = '#ffd54a';

/** Returns the shapes of all marks. `selected` is the id of the one that is drawn with its grips. */
export function markShapes(card: CardContext, selected: string | null): Shape[] {
  const { marks } = card.pane;
  return marks.value.flatMap((mark) => {
    const color = markColor(mark);
    const chosen = mark.id === selected;
    const grips = chosen ? gripPoints(mark, card).map(([, at]) => at) : [];
    const points = outlinePoints(mark, card);
    return [
      ...edges(mark, card, color),
      mark.kind === 'point' ? dot(points[0]!, 4, color) : path(points, chosen ? 3 : 2, color),
      ...grips.map((at) => dot(at, 4, color)),
      label(mark, points, card.pane, color),
    ];
  });
}

export function dot(at: Point, radius: number, color: string): Shape {
  return { kind: 'dot', at, radius, color };
}

export function path(points: readonly Point[], width: number, color: string): Shape {
  return { kind: 'path', points, width, color };
}

/** The band across which the samples of a wide line are averaged, for each of its pieces. */
function edges(mark: Mark, card: CardContext, color: string): Shape[] {
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
function label(mark: Mark, points: readonly Point[], pane: Pane, color: string): Shape {
  const number = { number: mark.id, text: labelText(mark, pane), color };
  const [a, b] = [points[0]!, points.at(-1)!];
  if (mark.kind === 'line') return { kind: 'label', at: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, ...number };
  if (!isArea(mark.kind)) return { kind: 'label', at: b, ...number };
  let [left, top] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    top = Math.min(top, y);
  }
  return { kind: 'label', at: { x: left - 6, y: top + 3 }, ...number };
}

/** Returns the name that the user gave, and the result of a line. */
function labelText(mark: Mark, pane: Pane): string {
  const result = isPath(mark.kind) ? lineSummary(measureMark(mark, pane)) : '';
  return [mark.name ?? '', result].filter((part) => part !== '').join(' · ');
}
