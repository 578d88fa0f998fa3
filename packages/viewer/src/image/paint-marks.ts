import type { Pane } from '../model/document.ts';
import { displaySize, displayToScreen, type Point, planeToDisplay, type Rect, type Size } from '../model/geometry.ts';
import { BEFORE_EDGE } from '../model/row-layout.ts';
import { coveredArea } from './covered-area.ts';
import type { CardColors } from './palette.ts';
import { paneState } from './pane-state.ts';
import { layoutOf } from './plane-axes.ts';
import { sampleAt } from './readout.ts';

/** A zoom selection that is being drawn, in pixels of the image area. */
export interface Band {
  readonly from: Point;
  readonly to: Point;
  /** The axis that will be zoomed; null for both. */
  readonly axis: 'x' | 'y' | null;
}

/** Paints lines through the sample under the cursor, and its outline when samples are large. */
export function paintCursor(context: CanvasRenderingContext2D, pane: Pane, view: Rect, area: Size): void {
  const cursor = pane.cursor.value;
  const at = cursor && sampleAt(cursor, pane.shape);
  if (!at) return;
  // Orthogonal pictures have a cross of their own, which stays where it is.
  const hasLines = paneState(pane).orthogonal.value === null;
  const layout = layoutOf(pane);
  const screen = (row: number, column: number) =>
    displayToScreen(planeToDisplay({ row, column }, pane.shape, layout), view, area);
  const middle = screen(at.row + 0.5, at.column + 0.5);
  const [a, b] = [screen(at.row, at.column), screen(at.row + 1 - BEFORE_EDGE, at.column + 1)];
  const sample = { width: Math.abs(b.x - a.x), height: Math.abs(b.y - a.y) };
  const gap = { x: sample.width >= 6 ? sample.width / 2 : 4, y: sample.height >= 6 ? sample.height / 2 : 4 };
  const size = displaySize(pane.shape, layout);
  const covered = coveredArea(view, size, area);
  const [right, bottom] = [covered.x + covered.width, covered.y + covered.height];
  const path = new Path2D();
  if (hasLines) {
    path.moveTo(covered.x, middle.y);
    path.lineTo(middle.x - gap.x, middle.y);
    path.moveTo(middle.x + gap.x, middle.y);
    path.lineTo(right, middle.y);
    path.moveTo(middle.x, covered.y);
    path.lineTo(middle.x, middle.y - gap.y);
    path.moveTo(middle.x, middle.y + gap.y);
    path.lineTo(middle.x, bottom);
  }
  if (sample.width >= 6 && sample.height >= 6) {
    path.rect(Math.min(a.x, b.x), Math.min(a.y, b.y), sample.width, sample.height);
  }
  context.strokeStyle = 'rgb(0 0 0 / 0.55)';
  context.lineWidth = 3;
  context.stroke(path);
  context.strokeStyle = 'rgb(255 255 255 / 0.85)';
  context.lineWidth = 1;
  context.stroke(path);
}

/** Paints the band or box that will fill the card. */
export function paintBand(
  context: CanvasRenderingContext2D,
  { from, to, axis }: Band,
  area: Size,
  palette: CardColors,
): void {
  const left = axis === 'y' ? 0 : Math.min(from.x, to.x);
  const top = axis === 'x' ? 0 : Math.min(from.y, to.y);
  const width = axis === 'y' ? area.width : Math.abs(to.x - from.x);
  const height = axis === 'x' ? area.height : Math.abs(to.y - from.y);
  context.globalAlpha = 0.25;
  context.fillStyle = palette.accent;
  context.fillRect(left, top, width, height);
  context.globalAlpha = 1;
  context.lineWidth = 3;
  context.strokeStyle = 'rgb(0 0 0 / 0.55)';
  context.strokeRect(left, top, width, height);
  context.lineWidth = 1;
  context.strokeStyle = '#fff';
  context.strokeRect(left, top, width, height);
}
