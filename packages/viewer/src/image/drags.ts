import type { Drag, Tool } from '../model/extension.ts';
import { type Point, type Rect, screenToDisplay } from '../model/geometry.ts';
import { anchorCursor, type Card, cardContext, cardViewport, moveView, pointAt } from './card.ts';
import { panBy, settle, zoomAt, zoomToBox } from './viewport.ts';

/** A drag. Points are in pixels of the image area. */
export interface ScreenDrag {
  readonly kind: 'pan' | 'other';
  move(at: Point, event: PointerEvent): void;
  end(at: Point, event: PointerEvent): void;
  cancel(): void;
}

/** A press that moves less than this is a click. */
const CLICK_PIXELS = 8;
/** Smaller bands and boxes are ignored as accidental. */
const MIN_BAND = 8;

let drags = 0;
/** Makes all movements of one drag a single undo step. */
export const nextChange = () => ({ kind: `drag ${++drags}`, at: 0 });

export function panDrag(card: Card, from: Point): ScreenDrag {
  const start = cardViewport(card);
  const change = nextChange();
  const show = (at: Point) =>
    moveView(card, change, (view, frame) => {
      const initial = start?.view ?? view;
      const dx = ((from.x - at.x) / frame.card.width) * initial.width;
      const dy = ((from.y - at.y) / frame.card.height) * initial.height;
      return panBy(initial, dx, dy, frame);
    });
  return {
    kind: 'pan',
    move: show,
    end: (at) => (isClick(from, at) ? anchorCursor(card.pane, pointAt(card, at)) : show(at)),
    cancel: () => show(from),
  };
}

/** Draws a box, or on a stretched image a band along the axis in which the drag starts. `free` always draws a box. */
export function zoomDrag(card: Card, from: Point, free: boolean): ScreenDrag {
  const band = createBand(card, free);
  return {
    kind: 'other',
    move(at) {
      card.band.value = band(from, at);
    },
    end(at) {
      const chosen = band(from, at);
      card.band.value = null;
      if (chosen === null) {
        if (isClick(from, at)) anchorCursor(card.pane, pointAt(card, at));
        return;
      }
      const { axis } = chosen;
      const wide = Math.abs(at.x - from.x) >= MIN_BAND;
      const high = Math.abs(at.y - from.y) >= MIN_BAND;
      if (axis === 'x' ? !wide : axis === 'y' ? !high : !wide || !high) return;
      moveView(card, nextChange(), (view, frame) => {
        const display = (point: Point) => screenToDisplay(point, view, frame.card);
        return zoomToBox(display(from), display(at), axis, view, frame);
      });
    },
    cancel() {
      card.band.value = null;
    },
  };
}

/** Returns a function that computes the band. The axis is decided once, when the press has become a drag. */
function createBand(card: Card, free: boolean) {
  const locks = !free && cardViewport(card)?.frame.fit === 'fill';
  let axis: 'x' | 'y' | null | undefined = locks ? undefined : null;
  let started = false;
  return (from: Point, at: Point) => {
    started ||= !isClick(from, at);
    if (!started) return null;
    if (axis === undefined) axis = Math.abs(at.x - from.x) >= Math.abs(at.y - from.y) ? 'x' : 'y';
    return { from, to: within(card, at), axis };
  };
}

function within(card: Card, { x, y }: Point): Point {
  const size = card.size.value;
  return { x: Math.min(Math.max(x, 0), size?.width ?? x), y: Math.min(Math.max(y, 0), size?.height ?? y) };
}

export function toolDrag(card: Card, tool: Tool, from: Point, event: PointerEvent): ScreenDrag | null {
  const context = cardContext(card);
  const drag: Drag | null = context && tool.begin(context.toPlane(from), event, context);
  if (drag === null) return null;
  const plane = (at: Point) => cardContext(card)?.toPlane(at) ?? { row: 0, column: 0 };
  return {
    kind: 'other',
    move: (at, moved) => drag.move(plane(at), moved),
    end(at, ended) {
      drag.end(plane(at), ended);
      if (isClick(from, at)) anchorCursor(card.pane, pointAt(card, at));
    },
    cancel: () => drag.cancel(),
  };
}

function isClick(from: Point, at: Point): boolean {
  return Math.hypot(at.x - from.x, at.y - from.y) < CLICK_PIXELS;
}

/**
 * Follows two fingers: the image between them stays there. On a stretched image, fingers along one axis zoom only that
 * axis.
 */
export function pinchDrag(card: Card, first: Point, second: Point): { move(a: Point, b: Point): void; cancel(): void } {
  const start = cardViewport(card);
  const change = nextChange();
  const spread = { x: Math.abs(first.x - second.x), y: Math.abs(first.y - second.y) };
  const stretched = start?.frame.fit === 'fill';
  const axis = stretched && spread.x > 2 * spread.y ? 'x' : stretched && spread.y > 2 * spread.x ? 'y' : null;
  return {
    move(a, b) {
      if (start === null) return;
      const factor = distance(a, b, axis) / distance(first, second, axis);
      moveView(card, change, (_view, frame) =>
        pinchView(start.view, middle(first, second), middle(a, b), factor, axis, frame),
      );
    },
    cancel() {
      if (start !== null) moveView(card, change, (_view, frame) => settle(start.view, frame));
    },
  };
}

function pinchView(
  start: Rect,
  from: Point,
  to: Point,
  factor: number,
  axis: 'x' | 'y' | null,
  frame: Parameters<typeof panBy>[3],
): Rect {
  const moved = panBy(
    start,
    ((from.x - to.x) / frame.card.width) * start.width,
    ((from.y - to.y) / frame.card.height) * start.height,
    frame,
  );
  const factors = { x: axis === 'y' ? 1 : factor, y: axis === 'x' ? 1 : factor };
  return zoomAt(moved, screenToDisplay(to, moved, frame.card), factors, frame);
}

function distance(a: Point, b: Point, axis: 'x' | 'y' | null): number {
  const [dx, dy] = [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
  return Math.max(1, axis === 'x' ? dx : axis === 'y' ? dy : Math.hypot(dx, dy));
}

function middle(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
