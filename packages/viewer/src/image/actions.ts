import { batch } from '@preact/signals';
import type { Pane, ToolId } from '../model/document.ts';
import type { PlanePoint } from '../model/geometry.ts';
import { displayToPlane, planeToDisplay } from '../model/geometry.ts';
import { cardView, frameOf, paneState, setOrientation, setView, trueRatio, type ViewChange } from './pane-state.ts';
import { layoutOf } from './plane-axes.ts';
import { type Factors, panBy, reveal, zoomAt } from './viewport.ts';

/** Factor of one press of a zoom key or button. */
export const ZOOM_STEP = 1.5;

/** Zooms at the cursor when it is in view, otherwise in the middle. */
export function zoomStep(pane: Pane, card: string, factors: Factors, change: ViewChange): void {
  const area = paneState(pane).areas.value.get(card);
  const view = cardView(pane, card);
  if (area === undefined || view === null) return;
  const cursor = pane.cursor.value && planeToDisplay(pane.cursor.value, pane.shape, layoutOf(pane));
  const inView =
    cursor !== null &&
    cursor.x >= view.x &&
    cursor.x <= view.x + view.width &&
    cursor.y >= view.y &&
    cursor.y <= view.y + view.height;
  const at = inView ? cursor : { x: view.x + view.width / 2, y: view.y + view.height / 2 };
  setView(pane, card, zoomAt(view, at, factors, frameOf(pane, area)), change);
}

/** Moves the view by fractions `x` and `y` of its size. */
export function panStep(pane: Pane, card: string, x: number, y: number, change: ViewChange): void {
  const area = paneState(pane).areas.value.get(card);
  const view = cardView(pane, card);
  if (area === undefined || view === null) return;
  setView(pane, card, panBy(view, x * view.width, y * view.height, frameOf(pane, area)), change);
}

/**
 * Moves the cursor by `right` and `down` samples on screen and scrolls the view to it. Without a cursor, starts in the
 * middle.
 */
export function moveCursor(pane: Pane, card: string, right: number, down: number, change: ViewChange): PlanePoint {
  const view = cardView(pane, card);
  const [rows, columns] = pane.shape;
  const { transposed, upward } = pane.orientation.value;
  const vertical = upward ? -down : down;
  const from = pane.cursor.value ?? viewCenter(pane, card);
  const clamp = (index: number, size: number) => Math.min(Math.max(Math.floor(index), 0), size - 1) + 0.5;
  const hasCursor = pane.cursor.value !== null;
  const next = {
    row: clamp(from.row + (hasCursor ? (transposed ? right : vertical) : 0), rows),
    column: clamp(from.column + (hasCursor ? (transposed ? vertical : right) : 0), columns),
  };
  paneState(pane).anchor.value = next;
  pane.cursor.value = next;
  const area = paneState(pane).areas.value.get(card);
  if (view !== null && area !== undefined) {
    setView(pane, card, reveal(view, planeToDisplay(next, pane.shape, layoutOf(pane)), frameOf(pane, area)), change);
  }
  return next;
}

function viewCenter(pane: Pane, card: string): PlanePoint {
  const view = cardView(pane, card);
  const [rows, columns] = pane.shape;
  if (view === null) return { row: rows / 2, column: columns / 2 };
  return displayToPlane({ x: view.x + view.width / 2, y: view.y + view.height / 2 }, pane.shape, layoutOf(pane));
}

export function transpose(pane: Pane): void {
  const { transposed, upward } = pane.orientation.value;
  setOrientation(pane, { transposed: !transposed, upward });
}

export function flip(pane: Pane): void {
  const { transposed, upward } = pane.orientation.value;
  setOrientation(pane, { transposed, upward: !upward });
}

export function toggle(signal: { value: boolean }): void {
  signal.value = !signal.value;
}

export type PaneLayout = 'composite' | 'channels' | 'orthogonal';

/** Shows one image of all channels, an image of each, or orthogonal views; null leaves these for the layout before. */
export function chooseLayout(pane: Pane, layout: PaneLayout | null): void {
  batch(() => {
    const shown = layout === 'orthogonal';
    if (pane.orthogonal.value.shown !== shown) pane.orthogonal.value = { ...pane.orthogonal.value, shown };
    if (layout !== null && !shown) pane.composite.value = layout === 'composite';
  });
}

export function chooseTool(pane: Pane, tool: ToolId): void {
  pane.tool.value = tool;
}

export function canShowTrueShape(pane: Pane): boolean {
  return trueRatio(pane) !== null;
}
