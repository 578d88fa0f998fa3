import { batch, effect, signal } from '@preact/signals';
import type { ChannelView, Pane } from '../model/document.ts';
import type { Overlay } from '../model/extension.ts';
import type { Layer, Renderer } from '../render/types.ts';
import { type CanvasSize, fitCanvas, observeCanvas } from './canvas-size.ts';
import { type Card, cardContext, cardViewport } from './card.ts';
import { guttersOf, paintAxes, paintScaleBars } from './paint-axes.ts';
import { gapColorsOf, paintRowGaps } from './paint-gaps.ts';
import { paintBand, paintCursor } from './paint-marks.ts';
import { groundOf, paletteOf, themeChanges } from './palette.ts';
import { paneState } from './pane-state.ts';
import { holdPictures, lookAt, type PictureHolds } from './picture-holds.ts';
import { layoutOf } from './plane-axes.ts';
import { repaint } from './repaint.ts';

interface CardElements {
  /** The whole view of the pane. Card areas are relative to its corner. */
  readonly pane: HTMLElement;
  readonly image: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
}

/** Keeps the two canvases of a card painted. Returns a function that stops it. */
export function showCard(
  card: Card,
  channels: readonly ChannelView[],
  renderer: Renderer,
  overlays: readonly Overlay[],
  elements: CardElements,
): () => void {
  const overlaySize = signal<CanvasSize | null>(null);
  const stops = [
    observeCanvas(elements.image, (size) => {
      batch(() => {
        card.size.value = size;
        reportArea(card, elements);
      });
    }),
    observeCanvas(elements.overlay, (size) => {
      overlaySize.value = size;
    }),
    keepImage(card, channels, renderer, elements.image, true),
    repaint(() => {
      const size = overlaySize.value;
      if (size !== null) paintOverlay(card, overlays, elements.overlay, size);
    }),
    () => forgetArea(card),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function reportArea({ pane, key }: Card, elements: CardElements): void {
  const state = paneState(pane);
  const image = elements.image.getBoundingClientRect();
  const whole = elements.pane.getBoundingClientRect();
  const area = { left: image.left - whole.left, top: image.top - whole.top, width: image.width, height: image.height };
  if (area.width === 0 || area.height === 0) return;
  state.areas.value = new Map(state.areas.value).set(key, area);
}

function forgetArea({ pane, key }: Card): void {
  const state = paneState(pane);
  const next = new Map(state.areas.value);
  next.delete(key);
  state.areas.value = next;
}

/** Keeps a small picture of one channel painted, which shows what its card does. Returns a function that stops it. */
export function showThumb(card: Card, channel: ChannelView, renderer: Renderer, canvas: HTMLCanvasElement): () => void {
  const stops = [
    observeCanvas(canvas, (size) => {
      card.size.value = size;
    }),
    keepImage(card, [channel], renderer, canvas, false),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** @param asks true when parts of far planes are read for this picture; a small one shows those that are there */
function keepImage(
  card: Card,
  channels: readonly ChannelView[],
  renderer: Renderer,
  canvas: HTMLCanvasElement,
  asks: boolean,
): () => void {
  const { holds, stop: stopHolding } = keepTextures(card.pane, channels, renderer);
  const context = canvas.getContext('2d', { alpha: false });
  const stopPainting = repaint(() => {
    const size = card.size.value;
    const viewport = cardViewport(card);
    themeChanges.value;
    // Repaint when the axes are switched: they change the background.
    card.pane.axes.value;
    if (context === null || size === null || viewport === null) return;
    fitCanvas(canvas, size);
    const single = card.channel !== null;
    const layers: Layer[] = [];
    for (const [i, channel] of channels.entries()) {
      if (asks) lookAt(card.pane, channel, viewport.view, { width: size.deviceWidth, height: size.deviceHeight });
      const texture = holds.value[i]?.textureFor(viewport.view);
      const display = channel.display.value;
      if (texture) layers.push({ texture, display: single ? { ...display, opacity: 1 } : display });
    }
    const layout = layoutOf(card.pane);
    renderer.draw(context, {
      width: size.deviceWidth,
      height: size.deviceHeight,
      view: viewport.view,
      orientation: layout,
      layers,
      marks: card.pane.pixelMarks.value,
      ground: groundOf(canvas),
      live: true,
    });
    if (!layout.rows) return;
    const scale = size.deviceWidth / size.width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    paintRowGaps(context, {
      layout,
      view: viewport.view,
      area: viewport.frame.card,
      scale,
      colors: gapColorsOf(canvas),
    });
    context.setTransform(1, 0, 0, 1, 0, 0);
  });
  return () => {
    stopPainting();
    stopHolding();
  };
}

type Holds = readonly (PictureHolds | null)[];

/**
 * Holds the textures of the channels. Planes that replace others are shown together, when all of them can be drawn, so
 * that the picture does not flicker while a stack is played; the first planes of a card are shown row by row.
 */
function keepTextures(pane: Pane, channels: readonly ChannelView[], renderer: Renderer) {
  const holds = signal<Holds>(channels.map(() => null));
  const release = (all: Holds) => {
    for (const hold of all) hold?.release();
  };
  /** Planes that are being prepared, and the newest ones, which wait for them. */
  let coming: Holds | null = null;
  let newest: Holds | null = null;
  const show = (all: Holds) => {
    const before = holds.peek();
    holds.value = all;
    release(before);
  };
  const stop = effect(() => {
    const all = channels.map((channel) => holdPictures(renderer, pane, channel));
    const replaces = holds.peek().every((hold) => hold !== null) && all.every((hold) => hold !== null);
    if (newest !== null) release(newest);
    newest = null;
    if (!replaces) {
      coming = null;
      show(all);
    } else if (coming !== null) newest = all;
    else void prepare(all);
  });
  async function prepare(all: Holds): Promise<void> {
    coming = all;
    await Promise.all(all.map((hold) => hold?.ready));
    // Stopped, or replaced by planes that are shown row by row.
    if (coming !== all) return release(all);
    show(all);
    coming = null;
    const next = newest;
    newest = null;
    if (next !== null) await prepare(next);
  }
  return {
    holds,
    stop() {
      stop();
      coming = null;
      if (newest !== null) release(newest);
      newest = null;
      release(holds.peek());
    },
  };
}

function paintOverlay(card: Card, overlays: readonly Overlay[], canvas: HTMLCanvasElement, size: CanvasSize): void {
  const context = canvas.getContext('2d');
  const viewport = cardViewport(card);
  const forTools = cardContext(card);
  themeChanges.value;
  if (context === null || viewport === null || forTools === null) return;
  fitCanvas(canvas, size);
  const { pane } = card;
  const { view, frame } = viewport;
  const area = frame.card;
  const palette = paletteOf(canvas);
  const gutters = guttersOf(pane, card.key);
  const scale = size.deviceWidth / size.width;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, gutters.left * scale, gutters.top * scale);
  const request = { pane, card: card.key, view, area, palette };
  context.save();
  context.beginPath();
  context.rect(0, 0, area.width, area.height);
  context.clip();
  if (pane.scaleBar.value) paintScaleBars(context, request);
  paintCursor(context, pane, view, area);
  for (const overlay of overlays) {
    context.save();
    overlay.paint(context, forTools);
    context.restore();
  }
  const band = card.band.value;
  if (band !== null) paintBand(context, band, area, palette);
  context.restore();
  if (pane.axes.value) paintAxes(context, request);
}
