/** A line scan that is being recorded: more lines, and a view that follows the last of them. */

import type { Plane } from '@acquisition-store/client/contract/open.js';
import { batch } from '@preact/signals';
import type { Pane } from '../model/document.ts';
import { displaySize, type Orientation, type Rect } from '../model/geometry.ts';
import { paneState, setSharedView, sharedView } from './pane-state.ts';
import { layoutOf } from './plane-axes.ts';

/** True when the last line is in the visible part of a pane. */
export function showsLastLine(pane: Pane): boolean {
  const view = sharedView(pane);
  return view === null || pastLastLine(pane, view) >= -0.5;
}

/** Moves the visible part of a pane to the last line; its size stays. */
export function goToLastLine(pane: Pane): void {
  const view = sharedView(pane);
  if (view !== null) setSharedView(pane, moveAlong(view, -pastLastLine(pane, view), pane.orientation.peek()));
}

/** Returns how far a view reaches beyond the last line, in units of the display; negative when it ends before it. */
function pastLastLine(pane: Pane, { x, y, width, height }: Rect): number {
  const layout = layoutOf(pane);
  const display = displaySize(pane.shape, layout);
  if (layout.transposed) return x + width - display.width;
  return layout.upward ? -y : y + height - display.height;
}

/** Moves a view by a number of lines. */
function moveAlong(view: Rect, lines: number, { transposed, upward }: Orientation): Rect {
  if (transposed) return { ...view, x: view.x + lines };
  return { ...view, y: view.y + (upward ? -lines : lines) };
}

/**
 * Replaces the plane of a pane by one with more lines. All views, also those in the undo history, keep showing the same
 * lines; with `follows`, the visible ones move on to the last line.
 */
export function setPlane(pane: Pane, plane: Plane, follows: boolean): void {
  const added = (plane.shape[0] ?? 1) - pane.shape[0];
  const orientation = pane.orientation.peek();
  const isFlipped = orientation.upward && !orientation.transposed;
  // Places on screen are counted from the last line then.
  const keep = (view: Rect): Rect => (isFlipped ? { ...view, y: view.y + added } : view);
  const move = (views: ReadonlyMap<string, Rect>, change: (view: Rect) => Rect) =>
    new Map([...views].map(([key, view]) => [key, change(view)]));
  const state = paneState(pane);
  const keepStep = <T extends { readonly views: ReadonlyMap<string, Rect> }>(step: T) => ({
    ...step,
    views: move(step.views, keep),
  });
  batch(() => {
    pane.geometry.value = plane;
    if (added === 0) return;
    const { past, future } = state.history.peek();
    state.history.value = { past: past.map(keepStep), future: future.map(keepStep) };
    pane.views.value = move(pane.views.peek(), (view) =>
      follows ? moveAlong(keep(view), added, orientation) : keep(view),
    );
  });
}
