/** The room that the picture of a pane needs and leaves. */
import type { Pane } from '../model/document.ts';
import type { Size } from '../model/geometry.ts';
import { axesRoom } from './paint-axes.ts';
import { frameOf } from './pane-state.ts';

/** Height of the caption of a card, CSS pixels. */
export const CAPTION = 24;

/** Height of the picture divided by its width. */
export function shapeOf(pane: Pane): number {
  const { image, fit } = frameOf(pane, { width: 1, height: 1 });
  return fit === 'fill' ? 1 : (image.height * fit) / image.width;
}

/** What a card needs besides its picture. */
export function aroundCard(pane: Pane): Size {
  const gutters = pane.axes.value ? axesRoom() : { left: 0, right: 0, top: 0, bottom: 0 };
  return { width: gutters.left + gutters.right, height: gutters.top + gutters.bottom + CAPTION };
}
