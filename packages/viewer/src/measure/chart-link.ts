/** Links charts with the image: the same part of an axis, the same cursor, and drags that zoom the image. */
import type { Along } from '../analysis/profile.ts';
import {
  cardKeys,
  cardView,
  frameOf,
  goHome,
  imageAreaOf,
  paneState,
  setView,
  type ViewChange,
} from '../image/pane-state.ts';
import { axisTitle, displayAxes, type PlaneAxis, placeValue, planeAxes, rowsOf } from '../image/plane-axes.ts';
import { zoomToBox } from '../image/viewport.ts';
import type { Pane } from '../model/document.ts';
import { type RowLayout, timeAtPlace } from '../model/row-layout.ts';
import type { ChartAxis, ChartWindow } from '../plot/chart-data.ts';

/** Returns the axis along which a profile runs: a row has one value per column. */
export function chartAxis(pane: Pane, along: Along): ChartAxis {
  const { row, column } = planeAxes(pane);
  const axis = along === 'row' ? column : row;
  const { measured } = axis;
  const rows = along === 'row' ? null : rowsOf(pane);
  if (rows !== null) return rowAxis(axis, rows);
  if (measured !== null) {
    const title = (largest: number) => axisTitle(axis, placeValue(axis, largest));
    return { unit: axis.unit, step: 1, origin: 0, labels: measured, title };
  }
  return {
    unit: axis.unit,
    step: axis.step,
    origin: axis.calibrated ? 0 : 0.5,
    title: (largest) => axisTitle(axis, largest),
  };
}

/** Returns the axis of a chart below rows that have a layout. */
export function rowAxis(
  axis: Pick<PlaneAxis, 'unit' | 'quantity' | 'calibrated' | 'sample'>,
  rows: RowLayout,
): ChartAxis {
  const title = (largest: number) => axisTitle(axis, timeAtPlace(rows, largest));
  return { unit: axis.unit, step: 1, origin: 0, rows, title };
}

/** Returns the middle of the sample under the cursor, where the lines of the cursor are in the image. */
export function cursorAlong(pane: Pane, along: Along): number | null {
  const at = pane.cursor.value;
  return at === null ? null : Math.floor(along === 'row' ? at.column : at.row) + 0.5;
}

/** Moves the cursor of the image to a sample along a direction; ignores samples outside of the plane. */
export function setCursorAlong(pane: Pane, along: Along, sample: number): void {
  const at = pane.cursor.peek() ?? { row: 0.5, column: 0.5 };
  if (!(sample >= 0 && sample < pane.shape[along === 'row' ? 1 : 0])) return;
  pane.cursor.value = along === 'row' ? { ...at, column: sample } : { ...at, row: sample };
}

/** Returns what the first card shows along an axis of the screen; null while it is not on screen. */
export function visibleSamples(pane: Pane, screen: 'x' | 'y'): ChartWindow | null {
  const area = imageAreaOf(pane).value;
  if (area === null) return null;
  if (screen === 'x') return { from: area.view.x, to: area.view.x + area.view.width };
  const { y } = displayAxes(pane);
  const from = y.reversed ? y.length - area.view.y - area.view.height : area.view.y;
  // A view can extend beyond the plane, where there is nothing to plot.
  return { from: Math.max(0, from), to: Math.min(y.length, from + area.view.height) };
}

/** Shows a window of a chart along an axis of the screen in the image. */
export function zoomTo(pane: Pane, screen: 'x' | 'y', { from, to }: ChartWindow): void {
  const { y } = displayAxes(pane);
  const [a, b] = screen === 'y' && y.reversed ? [y.length - to, y.length - from] : [from, to];
  showPart(pane, screen, { from: a, to: b }, { kind: 'chart', at: Number.NEGATIVE_INFINITY });
}

/** Shows a part of an axis of the display in the first card. */
export function showPart(pane: Pane, screen: 'x' | 'y', { from, to }: ChartWindow, change: ViewChange): void {
  const [card] = cardKeys(pane);
  const area = card === undefined ? undefined : paneState(pane).areas.peek().get(card);
  const view = card === undefined ? null : cardView(pane, card);
  if (card === undefined || area === undefined || view === null) return;
  setView(pane, card, zoomToBox({ x: from, y: from }, { x: to, y: to }, screen, view, frameOf(pane, area)), change);
}

export function showWhole(pane: Pane): void {
  const [card] = cardKeys(pane);
  if (card !== undefined) goHome(pane, card);
}
