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
