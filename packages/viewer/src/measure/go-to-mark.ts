import { cardKeys, cardView, frameOf, paneState, setView } from '../image/pane-state.ts';
import { layoutOf } from '../image/plane-axes.ts';
import { settle } from '../image/viewport.ts';
import type { Mark, Pane } from '../model/document.ts';
import { planeToDisplay } from '../model/geometry.ts';
import { markPoints } from './marks.ts';

/** Space around a mark that does not fit into the view, as a part of its size. */
const MARGIN = 0.25;
/** Min samples that are shown around a mark. */
const MIN_SIZE = 8;

/** Shows a mark and its surroundings. A point has no size, so that it is only moved into view. */
export function zoomToMark(pane: Pane, mark: Mark): void {
  showMark(pane, mark, mark.kind !== 'point');
}

/** Selects a mark and moves the view to it, unless it is in view already. The view is widened when the mark is larger. */
export function goToMark(pane: Pane, mark: Mark): void {
  showMark(pane, mark, false);
}

function showMark(pane: Pane, mark: Mark, close: boolean): void {
  pane.selectedMark.value = mark.id;
  const [card] = cardKeys(pane);
  const area = card === undefined ? undefined : paneState(pane).areas.peek().get(card);
  const view = card === undefined ? null : cardView(pane, card);
  if (card === undefined || area === undefined || view === null) return;
  const points = markPoints(mark).map((point) => planeToDisplay(point, pane.shape, layoutOf(pane)));
  const [left, right] = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  const [top, bottom] = [Math.min(...points.map(({ y }) => y)), Math.max(...points.map(({ y }) => y))];
  const inView = left >= view.x && right <= view.x + view.width && top >= view.y && bottom <= view.y + view.height;
  if (inView && !close) return;
  const width = Math.max(close ? MIN_SIZE : view.width, (right - left) * (1 + 2 * MARGIN));
  const height = Math.max(close ? MIN_SIZE : view.height, (bottom - top) * (1 + 2 * MARGIN));
  const centered = { x: (left + right - width) / 2, y: (top + bottom - height) / 2, width, height };
  setView(pane, card, settle(centered, frameOf(pane, area)), { kind: 'mark', at: Number.NEGATIVE_INFINITY });
}
