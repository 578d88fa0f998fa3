import type { CardContext } from '../model/extension.ts';
import { displayToScreen, type Rect, type Size } from '../model/geometry.ts';

/** Returns the part of the image area that the plane covers, in pixels of that area. */
export function coveredArea(view: Rect, image: Size, area: Size): Rect {
  const from = displayToScreen({ x: Math.max(0, view.x), y: Math.max(0, view.y) }, view, area);
  const to = displayToScreen(
    { x: Math.min(image.width, view.x + view.width), y: Math.min(image.height, view.y + view.height) },
    view,
    area,
  );
  return { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y };
}

/** Returns the edges of the visible part of the plane, beside which there may be a margin, in pixels of the image area. */
export function visibleEdges({ pane, size, toScreen }: Pick<CardContext, 'pane' | 'size' | 'toScreen'>) {
  const [rows, columns] = pane.shape;
  const [a, b] = [toScreen({ row: 0, column: 0 }), toScreen({ row: rows, column: columns })];
  return {
    left: Math.max(0, Math.min(a.x, b.x)),
    top: Math.max(0, Math.min(a.y, b.y)),
    bottom: Math.min(size.height, Math.max(a.y, b.y)),
  };
}
