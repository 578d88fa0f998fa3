/** Small pictures of files, for the list of recent ones and for folders. They stay in this browser. */
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

/** Pixels of a small picture. */
export interface ThumbnailSize {
  readonly width: number;
  readonly height: number;
}

const CARD: ThumbnailSize = { width: 280, height: 140 };
/** Length of a data address that is stored; more would crowd out other settings. */
export const MAX_THUMBNAIL = 20_000;
/** From good to what noise fits with. */
const QUALITIES = [0.7, 0.4, 0.15];

/** Draws a plane into a small picture. Returns null where the browser cannot. */
export function drawThumbnail(source: ThumbnailSource, { width, height } = CARD): string | null {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) return null;
  const image = context.createImageData(width, height);
  image.data.set(paintThumbnail(source, width, height));
  context.putImageData(image, 0, 0);
  for (const quality of QUALITIES) {
    const address = canvas.toDataURL('image/webp', quality);
    if (address.length <= MAX_THUMBNAIL) return address;
  }
  return null;
}

/** Returns the pixels: the mean of some samples of each cell, in the colors of the screen. */
export function paintThumbnail(source: ThumbnailSource, width: number, height: number): Uint8ClampedArray {
  const { layers, columns, orientation } = source;
  const { across, down } = cellsOf(source, width, height);
  const sums = new Float32Array(3 * width * height);
  for (const { samples, display } of layers) {
    const table = lutTable(display.lut, display.invert);
    const scale = 255 / (display.max - display.min || 1);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const value = orientation.transposed
          ? pickCell(samples, columns, across[x]!, down[y]!)
          : pickCell(samples, columns, down[y]!, across[x]!);
        const level = Math.max(0, Math.min(255, Math.round((value - display.min) * scale))) || 0;
        for (let k = 0; k < 3; k++) sums[3 * (y * width + x) + k]! += table[3 * level + k]!;
      }
    }
  }
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let i = 0; i < width * height; i++) pixels.set(sums.subarray(3 * i, 3 * i + 3), 4 * i);
  return pixels;
}

/** First sample, end and step: at most three samples along each side of a cell. */
type CellSpan = readonly [first: number, end: number, step: number];

/** Returns how much of a plane a picture of this size shows, on screen: a part in its middle, or all of a stretched plane. */
export function shownPart(
  { rows, columns, orientation, isStretched }: Omit<ThumbnailSource, 'layers'>,
  { width, height }: ThumbnailSize,
): ThumbnailSize {
  const size = orientation.transposed ? { width: rows, height: columns } : { width: columns, height: rows };
  if (isStretched) return size;
  const shape = width / height;
  return {
    width: Math.max(1, Math.min(size.width, Math.round(size.height * shape))),
    height: Math.max(1, Math.min(size.height, Math.round(size.width / shape))),
  };
}

/** Returns the samples of the columns and rows of cells, along the axes of the screen. */
function cellsOf(source: ThumbnailSource, width: number, height: number) {
  const { rows, columns, orientation } = source;
  const size = orientation.transposed ? { width: rows, height: columns } : { width: columns, height: rows };
  const shown = shownPart(source, { width, height });
  const down = spansOf(height, shown.height, size.height);
  const upward = ([first, end, step]: CellSpan): CellSpan => [size.height - end, size.height - first, step];
  return {
    across: spansOf(width, shown.width, size.width),
    down: orientation.upward ? down.map(upward) : down,
  };
}

/** Spreads `length` samples, in the middle of `size`, over cells. */
function spansOf(cells: number, length: number, size: number): CellSpan[] {
  const start = Math.floor((size - length) / 2);
  return Array.from({ length: cells }, (_, cell) => {
    const first = Math.min(length - 1, Math.floor((cell * length) / cells));
    const end = Math.max(first + 1, Math.floor(((cell + 1) * length) / cells));
    return [start + first, start + end, Math.max(1, Math.floor((end - first) / 3))];
  });
}

function pickCell(
  samples: Samples,
  columns: number,
  [top, bottom, down]: CellSpan,
  [left, right, along]: CellSpan,
): number {
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
