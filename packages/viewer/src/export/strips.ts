import type { Rect, Size } from '../model/geometry.ts';
import { pauseEvery } from '../model/yield-to-page.ts';

/** Draws a part of the display into the corner of a canvas, with one pixel per sample. */
export type DrawPart = (target: CanvasRenderingContext2D, part: Rect) => void;

/** Pixels along each side of the canvas, within the limits of every browser and graphics card. */
const MAX_SIDE = 4096;
const STRIP_BYTES = 16_000_000;

export interface StripOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the fraction done, 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
}

/**
 * Yields an image of any size as strips of RGB rows. Draws them into one small canvas, one after the other, and pauses for the page.
 */
export async function* drawnStrips(
  { width, height }: Size,
  draw: DrawPart,
  { signal, onProgress }: StripOptions = {},
): AsyncGenerator<Uint8Array> {
  const pause = pauseEvery(8);
  const rows = Math.max(1, Math.min(height, MAX_SIDE, Math.floor(STRIP_BYTES / (width * 3))));
  const canvas = document.createElement('canvas');
  canvas.width = Math.min(width, MAX_SIDE);
  canvas.height = rows;
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  if (context === null) throw new Error('The browser has no memory left for a canvas. Close other tabs and try again.');
  for (let y = 0; y < height; y += rows) {
    const count = Math.min(rows, height - y);
    const strip = new Uint8Array(width * count * 3);
    for (let x = 0; x < width; x += MAX_SIDE) {
      const part = { x, y, width: Math.min(MAX_SIDE, width - x), height: count };
      draw(context, part);
      copyRgb(context.getImageData(0, 0, part.width, count), strip, x, width);
      onProgress?.((y + (count * (x + part.width)) / width) / height);
      await pause(signal);
    }
    yield strip;
  }
}

function copyRgb(drawn: ImageData, strip: Uint8Array, x: number, width: number): void {
  for (let row = 0; row < drawn.height; row++) {
    let to = (row * width + x) * 3;
    let from = row * drawn.width * 4;
    for (let column = 0; column < drawn.width; column++, from += 4, to += 3) {
      strip[to] = drawn.data[from]!;
      strip[to + 1] = drawn.data[from + 1]!;
      strip[to + 2] = drawn.data[from + 2]!;
    }
  }
}
