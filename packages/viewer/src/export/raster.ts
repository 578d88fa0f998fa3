/** Pixels of canvases as PNG. */
import { pngParts } from './png.ts';

const STRIP_PIXELS = 4_000_000;

/** Converts a canvas to PNG. Not by `toBlob`, for which Chromium waits a second while the page is at rest. */
export async function canvasPng(canvas: HTMLCanvasElement): Promise<Blob> {
  const { width, height } = canvas;
  return new Blob(await pngParts({ width, height }, canvasRows(canvas)), { type: 'image/png' });
}

/** Yields a canvas as strips of RGB rows. */
export async function* canvasRows(canvas: HTMLCanvasElement): AsyncGenerator<Uint8Array> {
  const { width, height } = canvas;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser has no memory left for a canvas. Close other tabs.');
  const rows = Math.max(1, Math.floor(STRIP_PIXELS / width));
  for (let y = 0; y < height; y += rows) {
    const { data } = context.getImageData(0, y, width, Math.min(rows, height - y));
    const rgb = new Uint8Array((3 * data.length) / 4);
    for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
      rgb[to] = data[from]!;
      rgb[to + 1] = data[from + 1]!;
      rgb[to + 2] = data[from + 2]!;
    }
    yield rgb;
  }
}
