/** Says on a picture that it is smoothed, so that nobody takes it for the samples. */
import type { CardContext, Overlay } from '../model/extension.ts';
import type { Point } from '../model/geometry.ts';
import { visibleEdges } from './covered-area.ts';
import { LABEL_FONT, LABEL_HEIGHT, PILL, PILL_TEXT } from './paint-shapes.ts';
import { visibleChannels } from './pane-state.ts';
import { paintPill } from './pill.ts';
import { smoothingNote } from './smoothed.ts';

const MARGIN = 6;
const STYLE = { font: LABEL_FONT, height: LABEL_HEIGHT, padding: 6, ground: PILL, text: PILL_TEXT };

/** Returns the lower left corner of the visible part of the plane, in CSS pixels of the image area. */
export function noteCorner(card: CardContext): Point {
  const { left, bottom } = visibleEdges(card);
  return { x: left, y: bottom };
}

/** Paints a note above the lower left corner of the plane, opposite to the scale bar and below other labels. */
export function paintNote(context: CanvasRenderingContext2D, text: string, { x, y }: Point): void {
  if (text !== '') paintPill(context, text, { x: x + MARGIN, y: y - LABEL_HEIGHT - MARGIN }, STYLE);
}

export const SMOOTHING_NOTE: Overlay = {
  id: 'smoothing',
  paint(context, card) {
    const { pane, channel } = card;
    paintNote(context, smoothingNote(pane, channel ? [channel] : visibleChannels(pane)), noteCorner(card));
  },
};
