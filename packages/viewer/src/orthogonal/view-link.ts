/** Zooms the three pictures together: each cross-section shows what the plane shows, to the same scale. */
import { effect, signal } from '@preact/signals';
import { activeCard, cardKeys, cardView, frameOf, paneState, setSharedView, setView } from '../image/pane-state.ts';
import { isHome, settle } from '../image/viewport.ts';
import type { Pane } from '../model/document.ts';
import type { Rect, Size } from '../model/geometry.ts';
import type { Stack } from '../stack/stack.ts';
import type { Side } from './cross-section-pane.ts';
import { rowOf, type ThirdAxis } from './third-axis.ts';

interface SidePane {
  readonly side: Side;
  readonly pane: Pane;
}

/** Returns a function that stops it. */
export function linkViews(source: Pane, sections: readonly SidePane[], stack: Stack, third: ThirdAxis): () => void {
  /** The middle of what the cross-sections show of the third axis. */
  const center = signal(third.rows / 2);
  const sent = new Map<Pane, Pane['views']['value']>();
  const derive = () => {
    const shown = planeView(source);
    if (shown === null) return;
    for (const { side, pane } of sections) {
      const area = areaOf(pane);
      const view = area && sectionView(shown, side, pane, area, center.value);
      const before = pane.views.peek();
      if (view !== undefined) setSharedView(pane, view);
      if (sameViews(before, pane.views.peek())) pane.views.value = before;
      sent.set(pane, pane.views.peek());
    }
  };
  const follow = ({ side, pane }: SidePane) => {
    if (pane.views.value === sent.get(pane)) return;
    const [view, area, shown] = [sectionRect(pane), areaOf(pane), planeView(source)];
    if (view === null || area === undefined || shown === null) return;
    center.value = side === 'below' ? view.y + view.height / 2 : view.x + view.width / 2;
    const key = activeCard(source);
    const next = settle(planeRect(shown.view, view, side), frameOf(source, shown.area));
    setView(source, key, next, { kind: 'section', at: performance.now() });
    derive();
  };
  const stops = [
    effect(derive),
    ...sections.map((section) => effect(() => follow(section))),
    effect(() => {
      const row = rowOf(third, stack.wanted.value[third.dim]);
      const [first] = sections;
      const view = first === undefined ? null : sectionRect(first.pane);
      if (first === undefined || view === null) return;
      const half = (first.side === 'below' ? view.height : view.width) / 2;
      center.value = Math.min(Math.max(center.peek(), row - half), row + half);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

interface ShownView {
  readonly view: Rect;
  readonly area: Size;
}

function planeView(source: Pane): ShownView | null {
  const key = activeCard(source);
  const area = paneState(source).areas.value.get(key);
  const view = cardView(source, key);
  return area === undefined || view === null ? null : { view, area };
}

/** Key of the only card of a cross-section. */
export function sectionKey(pane: Pane): string {
  return cardKeys(pane)[0] ?? 'composite';
}

function areaOf(pane: Pane): Size | undefined {
  return paneState(pane).areas.value.get(sectionKey(pane));
}

function sectionRect(pane: Pane): Rect | null {
  return cardView(pane, sectionKey(pane));
}

/** Returns the view of a cross-section beside a view of the plane; null for all of it. */
function sectionView(
  { view, area: plane }: ShownView,
  side: Side,
  pane: Pane,
  area: Size,
  center: number,
): Rect | null {
  const frame = frameOf(pane, area);
  const fit = frame.fit === 'fill' ? 1 : frame.fit;
  const height = (area.height * view.width) / plane.width / fit;
  const width = (area.width * view.height * fit) / plane.height;
  const part =
    side === 'below'
      ? { x: view.x, y: center - height / 2, width: view.width, height }
      : { x: center - width / 2, y: view.y, width, height: view.height };
  const settled = settle(part, frame);
  return isHome(settled, frame) ? null : settled;
}

/** Returns the part of the plane that belongs to a cross-section that was zoomed or moved. */
function planeRect(before: Rect, section: Rect, side: Side): Rect {
  if (side === 'below') {
    const height = (before.height * section.width) / before.width;
    return { x: section.x, y: before.y + (before.height - height) / 2, width: section.width, height };
  }
  const width = (before.width * section.height) / before.height;
  return { x: before.x + (before.width - width) / 2, y: section.y, width, height: section.height };
}

function sameViews(a: Pane['views']['value'], b: Pane['views']['value']): boolean {
  return JSON.stringify([...a]) === JSON.stringify([...b]);
}
