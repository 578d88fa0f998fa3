/** Pictures of cards for files, drawn black on white at the requested resolution. */

import { untracked } from '@preact/signals';
import { guttersOf, paintAxes, paintScaleBars } from '../image/paint-axes.ts';
import { PRINT_GAP, paintRowGaps } from '../image/paint-gaps.ts';
import { paintShapes } from '../image/paint-shapes.ts';
import type { CardColors } from '../image/palette.ts';
import { COMPOSITE, cardKeys, cardView, imageAreaOf, paneState, visibleChannels } from '../image/pane-state.ts';
import { holdPictures } from '../image/picture-holds.ts';
import { layoutOf } from '../image/plane-axes.ts';
import { smoothingNote, whenSmoothed } from '../image/smoothed.ts';
import { noteCorner, paintNote, SMOOTHING_NOTE } from '../image/smoothing-note.ts';
import { type AcquisitionDocument, type ChannelView, isLoaded, type Pane } from '../model/document.ts';
import type { CardContext, Overlay } from '../model/extension.ts';
import {
  displayToPlane,
  displayToScreen,
  type Layout,
  type Point,
  planeToDisplay,
  type Rect,
  type Size,
  screenToDisplay,
} from '../model/geometry.ts';
import { paneNote } from '../model/hand-note.ts';
import type { DrawnShape } from '../model/shapes.ts';
import type { Layer, Renderer } from '../render/types.ts';
import { PROJECTION_LABEL } from '../stack/projection-label.ts';

export const PRINT: CardColors = {
  text: '#000',
  line: '#000',
  accent: '#0a5fb4',
  font: 'Helvetica, Arial, sans-serif',
};
const WHITE = [255, 255, 255] as const;

export interface PictureSource {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly renderer: Renderer;
  readonly overlays: readonly Overlay[];
  /** Draws marks and the scan path into pictures and figures. */
  readonly withMarks: boolean;
  /** How the plane lies; as on screen by default. */
  readonly layout?: Layout;
}

/** A card: one channel, or the composite of the visible ones. */
export interface CardChoice {
  readonly key: string;
  readonly name: string;
  readonly channels: readonly ChannelView[];
}

/** Returns the visible cards whose samples are loaded. */
export function shownCards(pane: Pane): CardChoice[] {
  const visible = visibleChannels(pane);
  return cardKeys(pane).flatMap((key) => {
    const channels = key === COMPOSITE ? visible : visible.filter(({ index }) => String(index) === key);
    const name = key === COMPOSITE ? 'Composite' : (channels[0]?.name ?? '');
    return channels.length > 0 && channels.every(isLoaded) ? [{ key, name, channels }] : [];
  });
}

/** Calls `work` with the layers of a card that show a view, and releases them afterwards. */
export async function withLayers<T>(
  { pane, renderer }: PictureSource,
  card: CardChoice,
  view: Rect,
  work: (layers: readonly Layer[]) => Promise<T>,
): Promise<T> {
  await Promise.all(card.channels.map((channel) => whenSmoothed(pane, channel)));
  const holds = card.channels.map((channel) => holdPictures(renderer, pane, channel));
  try {
    await Promise.all(holds.map((hold) => hold?.ready));
    const layers = card.channels.flatMap((channel, i) => {
      const texture = holds[i]?.textureFor(view);
      const display = channel.display.peek();
      const opacity = card.key === COMPOSITE ? display.opacity : 1;
      return texture ? [{ texture, display: { ...display, opacity } }] : [];
    });
    return await work(layers);
  } finally {
    for (const hold of holds) hold?.release();
  }
}

/** Draws a part of the display into the corner of `target`, or at a place on it, scaled to a size in device pixels. */
export function drawPart(
  source: PictureSource,
  layers: readonly Layer[],
  target: CanvasRenderingContext2D,
  view: Rect,
  { width, height }: Size,
  { x, y }: Point = { x: 0, y: 0 },
): void {
  const { pane, renderer } = source;
  const layout = sourceLayout(source);
  renderer.draw(target, {
    x,
    y,
    width,
    height,
    view,
    orientation: layout,
    layers,
    marks: pane.pixelMarks.peek(),
    ground: WHITE,
  });
  if (!layout.rows) return;
  // As fine as on screen.
  const scale = Math.max(1, width / (imageAreaOf(pane).peek()?.width ?? width));
  const area = { width: width / scale, height: height / scale };
  target.save();
  target.setTransform(scale, 0, 0, scale, x, y);
  paintRowGaps(target, { layout, view, area, scale, colors: PRINT_GAP });
  target.restore();
}

/** Returns a card as it is on screen, with axes, scale bars and marks. `scale` is device pixels per CSS pixel. */
export async function shownCanvas(source: PictureSource, card: CardChoice, scale: number): Promise<HTMLCanvasElement> {
  const { pane } = source;
  const area = paneState(pane).areas.peek().get(card.key);
  const view = cardView(pane, card.key);
  if (area === undefined || view === null) throw new Error('The image is not on screen.');
  const gutters = guttersOf(pane, labeledCard(pane));
  const canvas = window.document.createElement('canvas');
  canvas.width = Math.round((area.width + gutters.left + gutters.right) * scale);
  canvas.height = Math.round((area.height + gutters.top + gutters.bottom) * scale);
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('This browser has no memory left for a canvas. Close other tabs.');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  const size = { width: Math.round(area.width * scale), height: Math.round(area.height * scale) };
  const image = await imageCanvas(source, card, view, size, () => pictureNote(source, card));
  context.drawImage(image, Math.round(gutters.left * scale), Math.round(gutters.top * scale));
  context.setTransform(scale, 0, 0, scale, gutters.left * scale, gutters.top * scale);
  paintOver(context, source, card, view, area);
  return canvas;
}

/** Returns the card that has the labels of shared axes; a card in a file of its own always has them. */
export function labeledCard(pane: Pane): string {
  return cardKeys(pane).at(-1) ?? COMPOSITE;
}

/** Returns what has to be said on a picture: that it is smoothed, and which steps were entered by hand. */
export function pictureNote({ document, pane }: PictureSource, card: CardChoice): string {
  return [smoothingNote(pane, card.channels), paneNote(document, pane)].filter(Boolean).join(' · ');
}

/** Draws only the image, without axes, and a note on it, which is asked for when the image is drawn. */
export async function imageCanvas(
  source: PictureSource,
  card: CardChoice,
  view: Rect,
  size: Size,
  note: () => string,
): Promise<HTMLCanvasElement> {
  const canvas = window.document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('This browser has no memory left for a canvas. Close other tabs.');
  await withLayers(source, card, view, async (layers) => drawPart(source, layers, context, view, size));
  const area = paneState(source.pane).areas.peek().get(card.key) ?? size;
  context.scale(size.width / area.width, size.height / area.height);
  paintNote(context, note(), noteCorner(overlayContext(source, card, view, area)));
  return canvas;
}

function paintOver(
  context: CanvasRenderingContext2D,
  source: PictureSource,
  card: CardChoice,
  view: Rect,
  area: Size,
): void {
  const { pane, overlays, withMarks } = source;
  const request = { pane, card: labeledCard(pane), view, area, palette: PRINT };
  const forOverlays = overlayContext(source, card, view, area);
  context.save();
  context.beginPath();
  context.rect(0, 0, area.width, area.height);
  context.clip();
  if (pane.scaleBar.peek()) paintScaleBars(context, request);
  // The note is on the image already.
  for (const overlay of withMarks ? overlays.filter(({ id }) => id !== SMOOTHING_NOTE.id) : []) {
    context.save();
    overlay.paint(context, forOverlays);
    context.restore();
  }
  context.restore();
  if (pane.axes.peek()) paintAxes(context, request);
}

interface Over {
  readonly card: CardChoice;
  readonly view: Rect;
  readonly area: Size;
  readonly scaleBar: boolean;
}

/** Paints what belongs on an image of `view`, which is `area` large, with what has to be said about it. */
export function paintCard(
  context: CanvasRenderingContext2D,
  source: PictureSource,
  { card, view, area, scaleBar }: Over,
): void {
  const { pane } = source;
  const about = overlayContext(source, card, view, area);
  if (scaleBar) paintScaleBars(context, { pane, card: labeledCard(pane), view, area, palette: PRINT });
  paintShapes(context, figureShapes(source, card, view, area), area);
  context.save();
  PROJECTION_LABEL.paint(context, about);
  context.restore();
  paintNote(context, pictureNote(source, card), noteCorner(about));
}

function sourceLayout({ pane, layout }: PictureSource): Layout {
  return layout ?? untracked(() => layoutOf(pane));
}

function overlayContext(source: PictureSource, card: CardChoice, view: Rect, area: Size): CardContext {
  const { document, pane } = source;
  const layout = sourceLayout(source);
  return {
    document,
    pane,
    channel: card.key === COMPOSITE ? null : (card.channels[0] ?? null),
    size: area,
    toScreen: (point) => displayToScreen(planeToDisplay(point, pane.shape, layout), view, area),
    toPlane: (point) => displayToPlane(screenToDisplay(point, view, area), pane.shape, layout),
  };
}

/** Returns what a figure shows over a picture of `view`, which is `area` large. */
export function figureShapes(source: PictureSource, card: CardChoice, view: Rect, area: Size): DrawnShape[] {
  if (!source.withMarks) return [];
  const context = overlayContext(source, card, view, area);
  return source.overlays.flatMap(({ shapes }) => shapes?.(context) ?? []);
}
