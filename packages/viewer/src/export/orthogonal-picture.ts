/** The three pictures of orthogonal views as one image, as they are on screen. */
import type { OrthogonalPicture } from '../image/orthogonal-part.ts';
import { guttersOf } from '../image/paint-axes.ts';
import { CAPTION } from '../image/pane-room.ts';
import { COMPOSITE, cardKeys, visibleChannels } from '../image/pane-state.ts';
import { isLoaded } from '../model/document.ts';
import { labeledCard, type PictureSource, PRINT, shownCanvas } from './card-picture.ts';

/** Height of the titles, CSS pixels. */
const FONT = 12;

/** @param scale device pixels per CSS pixel */
export async function orthogonalCanvas(
  source: PictureSource,
  pictures: readonly OrthogonalPicture[],
  scale: number,
): Promise<HTMLCanvasElement> {
  const ends = pictures.map(({ box }) => ({ x: box.x + box.width, y: box.y + box.height }));
  const canvas = window.document.createElement('canvas');
  canvas.width = Math.round(Math.max(...ends.map(({ x }) => x)) * scale);
  canvas.height = Math.round(Math.max(...ends.map(({ y }) => y)) * scale);
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('This browser has no memory left for a canvas. Close other tabs.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const { pane, title, overlays, box } of pictures) {
    const channels = visibleChannels(pane).filter(isLoaded);
    const card = { key: cardKeys(pane)[0] ?? COMPOSITE, name: title, channels };
    // What is hatched, and the cross, belong to the pictures with or without marks.
    const shown = source.withMarks ? overlays : overlays.filter(({ shapes }) => shapes === undefined);
    const image = await shownCanvas({ ...source, pane, overlays: shown, withMarks: true }, card, scale);
    context.drawImage(image, Math.round(box.x * scale), Math.round((box.y + CAPTION) * scale));
    context.fillStyle = PRINT.text;
    context.font = `600 ${FONT * scale}px ${PRINT.font}`;
    const { left } = guttersOf(pane, labeledCard(pane));
    context.fillText(title, (box.x + left) * scale, (box.y + CAPTION - FONT / 2) * scale);
  }
  return canvas;
}
