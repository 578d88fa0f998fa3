/** Small pictures of opened files, for the list of recent ones. They stay in this browser. */
import { lutTable } from '../luts/luts.ts';
import type { ChannelDisplay } from '../model/display.ts';
import type { Orientation } from '../model/geometry.ts';
import type { Samples } from '../model/samples.ts';

/** A channel as it is on screen. */
export interface ThumbnailLayer {
  readonly samples: Samples;
  readonly display: Pick<ChannelDisplay, 'lut' | 'invert' | 'min' | 'max'>;
}

export interface ThumbnailSource {
  /** Channels whose colors are added. */
  readonly layers: readonly ThumbnailLayer[];
  readonly rows: number;
  readonly columns: number;
  readonly orientation: Orientation;
  /** True for a plane that fills the picture, such as a line scan; of others a part with its shape is shown. */
  readonly isStretched: boolean;
}

const WIDTH = 280;
const HEIGHT = 140;
/** Length of a data address that is stored; more would crowd out other settings. */
export const MAX_THUMBNAIL = 20_000;
/** From good to what noise fits with. */
const QUALITIES = [0.7, 0.4, 0.15];

/** Draws a plane into a small picture. Returns null where the browser cannot. */
export function drawThumbnail(source: ThumbnailSource): string | null {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext('2d');
  if (!context) return null;
  const image = context.createImageData(WIDTH, HEIGHT);
  image.data.set(paintThumbnail(source, WIDTH, HEIGHT));
  context.putImageData(image, 0, 0);
  const addresses = QUALITIES.map((quality) => () => canvas.toDataURL('image/webp', quality));
  for (const encode of addresses) {
    const address = encode();
    if (address.length <= MAX_THUMBNAIL) return address;
  }
  return null;
}

/** Returns the pixels: the mean of some samples of each cell, in the colors of the screen. */
export function paintThumbnail(source: ThumbnailSource, width: number, height: number): Uint8ClampedArray {
  const { layers, rows, columns, orientation } = source;
  const part = partOf(source, width / height);
  const sums = new Float32Array(3 * width * height);
  for (const { samples, display } of layers) {
    const table = lutTable(display.lut, display.invert);
    const scale = 255 / (display.max - display.min || 1);
    for (let y = 0; y < height; y++) {
      const down = spanOf(y, height, part.height);
      for (let x = 0; x < width; x++) {
        const across = spanOf(x, width, part.width);
        const [r, c] = orientation.transposed ? [across, down] : [down, across];
        const [top, left] = orientation.transposed ? [part.left, part.top] : [part.top, part.left];
        const flips = { rows: false, columns: false };
        if (orientation.upward) flips[orientation.transposed ? 'columns' : 'rows'] = true;
        const value = pickCell(
          samples,
          columns,
          shifted(r, top, rows, flips.rows),
          shifted(c, left, columns, flips.columns),
        );
        const level = Math.max(0, Math.min(255, Math.round((value - display.min) * scale))) || 0;
        for (let k = 0; k < 3; k++) sums[3 * (y * width + x) + k]! += table[3 * level + k]!;
      }
    }
  }
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let i = 0; i < width * height; i++) pixels.set(sums.subarray(3 * i, 3 * i + 3), 4 * i);
  return pixels;
}

interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The part on screen that has the shape of the picture, in the middle; all of a stretched plane. */
function partOf({ rows, columns, orientation, isStretched }: ThumbnailSource, shape: number): Part {
  const [width, height] = orientation.transposed ? [rows, columns] : [columns, rows];
  if (isStretched) return { left: 0, top: 0, width, height };
  const across = Math.max(1, Math.min(width, Math.round(height * shape)));
  const down = Math.max(1, Math.min(height, Math.round(width / shape)));
  return { left: Math.floor((width - across) / 2), top: Math.floor((height - down) / 2), width: across, height: down };
}

/** First sample, end and step: at most three samples along each side of a cell. */
type Span = readonly [first: number, end: number, step: number];

function spanOf(cell: number, cells: number, size: number): Span {
  const first = Math.min(size - 1, Math.floor((cell * size) / cells));
  const end = Math.max(first + 1, Math.floor(((cell + 1) * size) / cells));
  return [first, end, Math.max(1, Math.floor((end - first) / 3))];
}

/** Moves a span of the part into the plane of `size` samples, which may lie upside down. */
function shifted([first, end, step]: Span, by: number, size: number, isFlipped: boolean): Span {
  const [from, to] = [first + by, end + by];
  return isFlipped ? [size - to, size - from, step] : [from, to, step];
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
