/** Says on every picture of a projection that it is one, also on saved ones. */
import { visibleEdges } from '../image/covered-area.ts';
import { paintPill } from '../image/pill.ts';
import type { Overlay } from '../model/extension.ts';
import { projectionWords } from './place.ts';

const MARGIN = 8;
const STYLE = { font: '12px system-ui, sans-serif', height: 20, padding: 7, ground: 'rgb(0 0 0 / 70%)', text: '#fff' };

export const PROJECTION_LABEL: Overlay = {
  id: 'projection',
  paint(context, card) {
    const { document, pane } = card;
    const words = pane.kind === 'source' ? projectionWords(document.info.value) : '';
    if (words === '') return;
    const { left, top } = visibleEdges(card);
    paintPill(context, words, { x: left + MARGIN, y: top + MARGIN }, STYLE);
  },
};
