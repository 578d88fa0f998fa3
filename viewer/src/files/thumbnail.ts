/** Small pictures of opened files, for the list of recent ones. */
import { lutTable } from '../luts/luts.ts';
import type { Samples } from '../model/samples.ts';

export interface ThumbnailSource {
  readonly samples: Samples;
  readonly rows: number;
  readonly columns: number;
  readonly lut: string;
}

const WIDTH = 72;
const HEIGHT = 48;
/** Length of a data address that is stored; more would crowd out other settings. */
export const MAX_THUMBNAIL = 12_000;

/** Draws a plane into a small picture, stretched to its shape. Returns null where the browser cannot. */
export function drawThumbnail(source: ThumbnailSource): string | null {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext('2d');
  if (!context) return null;
  const image = context.createImageData(WIDTH, HEIGHT);
  image.data.set(paintThumbnail(source, WIDTH, HEIGHT));
  context.putImageData(image, 0, 0);
  const address = canvas.toDataURL('image/webp', 0.7);
  return address.length <= MAX_THUMBNAIL ? address : null;
}

/** Returns the pixels: the mean of some samples of each cell, between two percentiles. */
export function paintThumbnail(source: ThumbnailSource, width: number, height: number): Uint8ClampedArray {
  const { samples, rows, columns, lut } = source;
  const cells = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++)
      cells[y * width + x] = pickCell(samples, columns, spanOf(y, height, rows), spanOf(x, width, columns));
  }
  const sorted = cells.filter(Number.isFinite).sort();
  const low = sorted[Math.floor(sorted.length * 0.02)] ?? 0;
  const high = sorted[Math.ceil(sorted.length * 0.995) - 1] ?? 1;
  const table = lutTable(lut);
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (const [i, value] of cells.entries()) {
    const level = Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low || 1)))) || 0;
    pixels.set(table.subarray(3 * level, 3 * level + 3), 4 * i);
    pixels[4 * i + 3] = 255;
  }
  return pixels;
}

/** First sample, end and step: at most three samples along each side of a cell. */
type Span = readonly [first: number, end: number, step: number];

function spanOf(cell: number, cells: number, size: number): Span {
  const first = Math.min(size - 1, Math.floor((cell * size) / cells));
  const end = Math.max(first + 1, Math.floor(((cell + 1) * size) / cells));
  return [first, end, Math.max(1, Math.floor((end - first) / 3))];
}

function pickCell(samples: Samples, columns: number, [top, bottom, down]: Span, [left, right, along]: Span): number {
  let sum = 0;
  let count = 0;
  for (let y = top; y < bottom; y += down) {
    for (let x = left; x < right; x += along) {
      sum += samples[y * columns + x]!;
      count++;
    }
  }
  return sum / count;
}
