/** Says on a picture that it is smoothed, so that nobody takes it for the samples. */
import type { CardContext, Overlay } from '../model/extension.ts';
import type { Point } from '../model/geometry.ts';
import { LABEL_FONT, LABEL_HEIGHT, PILL, PILL_TEXT } from './paint-shapes.ts';
import { visibleChannels } from './pane-state.ts';
import { smoothingNote } from './smoothed.ts';

const PADDING = 6;
const MARGIN = 6;

/** Returns the lower left corner of the visible part of the plane, in CSS pixels of the image area. */
export function noteCorner({ pane, size, toScreen }: CardContext): Point {
  const [rows, columns] = pane.shape;
  const [a, b] = [toScreen({ row: 0, column: 0 }), toScreen({ row: rows, column: columns })];
  return { x: Math.max(0, Math.min(a.x, b.x)), y: Math.min(size.height, Math.max(a.y, b.y)) };
}

/** Paints a note above the lower left corner of the plane, opposite to the scale bar and below other labels. */
export function paintNote(context: CanvasRenderingContext2D, text: string, { x, y }: Point): void {
  if (text === '') return;
  context.save();
  context.translate(x, y - LABEL_HEIGHT - 2 * MARGIN);
  context.font = LABEL_FONT;
  const width = context.measureText(text).width + 2 * PADDING;
  context.fillStyle = PILL;
  context.beginPath();
  context.roundRect(MARGIN, MARGIN, width, LABEL_HEIGHT, LABEL_HEIGHT / 2);
  context.fill();
  context.fillStyle = PILL_TEXT;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(text, MARGIN + PADDING, MARGIN + LABEL_HEIGHT / 2 + 0.5);
  context.restore();
}

export const SMOOTHING_NOTE: Overlay = {
  id: 'smoothing',
  paint(context, card) {
    const { pane, channel } = card;
    paintNote(context, smoothingNote(pane, channel ? [channel] : visibleChannels(pane)), noteCorner(card));
  },
};
