/** Links the cursor and the visible part of two panes: in seconds and µm where both have them, otherwise in samples. */
import { effect, untracked } from '@preact/signals';
import { setSharedView, sharedView } from '../image/pane-state.ts';
import { layoutOf, type PlaneAxis, placeValue, planeAxes, valuePlace } from '../image/plane-axes.ts';
import type { Pane } from '../model/document.ts';
import { displayToPlane, type PlanePoint, planeToDisplay, type Rect } from '../model/geometry.ts';

/** `first` leads at the start. Returns a function that unlinks them. */
export function linkPanes(first: Pane, second: Pane): () => void {
  /** What was set here, so that it is not sent back. */
  const sent = new Map<Pane, Pane['views']['value']>();
  const pointed = new Map<Pane, PlanePoint | null>();
  const stops = [[first, second] as const, [second, first] as const].flatMap(([from, to]) => [
    effect(() => {
      const views = from.views.value;
      if (sent.get(from) === views) return;
      setSharedView(to, mapView(sharedView(from), from, to));
      sent.set(to, to.views.peek());
    }),
    effect(() => {
      const cursor = from.cursor.value;
      if (pointed.has(from) && pointed.get(from) === cursor) return;
      const next = cursor && withinPane(mapPoint(cursor, from, to), to);
      pointed.set(to, next);
      to.cursor.value = next;
    }),
  ]);
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns the same part of another pane; null for the whole image. */
function mapView(view: Rect | null, from: Pane, to: Pane): Rect | null {
  if (view === null) return null;
  // A pane that is turned still shows the same part.
  const [here, there] = untracked(() => [layoutOf(from), layoutOf(to)]);
  const corner = (x: number, y: number) => {
    const point = displayToPlane({ x, y }, from.shape, here);
    return planeToDisplay(mapPoint(point, from, to), to.shape, there);
  };
  const a = corner(view.x, view.y);
  const b = corner(view.x + view.width, view.y + view.height);
  return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(b.x - a.x), height: Math.abs(b.y - a.y) };
}

function mapPoint({ row, column }: PlanePoint, from: Pane, to: Pane): PlanePoint {
  const [a, b] = untracked(() => [planeAxes(from), planeAxes(to)]);
  return { row: sameValue(row, a.row, b.row), column: sameValue(column, a.column, b.column) };
}

/** Returns the sample of another axis with the same value; the same sample where the axes do not have one unit. */
function sameValue(sample: number, from: PlaneAxis, to: PlaneAxis): number {
  return from.calibrated && from.unit === to.unit ? valuePlace(to, placeValue(from, sample)) : sample;
}

function withinPane(point: PlanePoint, { shape: [rows, columns] }: Pane): PlanePoint | null {
  return point.row >= 0 && point.row < rows && point.column >= 0 && point.column < columns ? point : null;
}
