/** Says on every picture of a projection that it is one, also on saved ones. */
import type { CardContext, Overlay } from '../model/extension.ts';
import type { Point } from '../model/geometry.ts';
import { projectionWords } from './place.ts';

const HEIGHT = 20;
const PADDING = 7;
const MARGIN = 8;

export const PROJECTION_LABEL: Overlay = {
  id: 'projection',
  paint(context, card) {
    const { document, pane } = card;
    const words = pane.kind === 'source' ? projectionWords(document.info.value) : '';
    if (words === '') return;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const width = context.measureText(words).width + 2 * PADDING;
    context.fillStyle = 'rgb(0 0 0 / 70%)';
    const corner = upperCorner(card);
    const [x, y] = [corner.x + MARGIN, corner.y + MARGIN];
    context.beginPath();
    context.roundRect(x, y, width, HEIGHT, HEIGHT / 2);
    context.fill();
    context.fillStyle = '#fff';
    context.fillText(words, x + PADDING, y + HEIGHT / 2 + 0.5);
  },
};

/** Returns the upper left corner of the visible part of the plane, beside which there may be a margin. */
function upperCorner({ pane, toScreen }: CardContext): Point {
  const [rows, columns] = pane.shape;
  const [a, b] = [toScreen({ row: 0, column: 0 }), toScreen({ row: rows, column: columns })];
  return { x: Math.max(0, Math.min(a.x, b.x)), y: Math.max(0, Math.min(a.y, b.y)) };
}
