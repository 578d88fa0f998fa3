/** Says on every picture of a projection that it is one, also on saved ones. */
import type { Overlay } from '../model/extension.ts';
import { projectionWords } from './place.ts';

const HEIGHT = 20;
const PADDING = 7;

export const PROJECTION_LABEL: Overlay = {
  id: 'projection',
  paint(context, { document, pane }) {
    const words = pane.kind === 'source' ? projectionWords(document.info.value) : '';
    if (words === '') return;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const width = context.measureText(words).width + 2 * PADDING;
    context.fillStyle = 'rgb(0 0 0 / 70%)';
    context.beginPath();
    context.roundRect(8, 8, width, HEIGHT, HEIGHT / 2);
    context.fill();
    context.fillStyle = '#fff';
    context.fillText(words, 8 + PADDING, 8 + HEIGHT / 2 + 0.5);
  },
};
