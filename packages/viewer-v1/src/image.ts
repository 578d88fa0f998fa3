/** Draws planes in gray with a blue tint. */
import type { PlaneSize } from './api.ts';

/** Limit of the lines, and of the pixels of a line, that are drawn. */
const MAX_SHOWN = 3_000;
/** Limit of the samples that the contrast is computed from. */
const MAX_SAMPLES = 50_000;
/** The golden ratio: multiples of it are spread evenly over lines and columns for any width. */
const GOLDEN = 0.618_033_988_749_894_9;
/** Red, green and blue of the brightest sample. */
const TINT = [190, 222, 255] as const;

export interface Contrast {
  /** Drawn black. */
  min: number;
  /** Drawn in the brightest color. */
  max: number;
}

/** Returns the 1st and 99.5th percentile of samples spread over the plane; `min < max`. NaN and infinities do not count. */
export function findContrast(samples: Float32Array): Contrast {
  const picked = new Float32Array(Math.min(MAX_SAMPLES, samples.length));
  let count = 0;
  for (let i = 0; i < picked.length; i++) {
    const at = picked.length === samples.length ? i : Math.floor(((i * GOLDEN) % 1) * samples.length);
    if (Number.isFinite(samples[at])) picked[count++] = samples[at]!;
  }
  const sorted = picked.subarray(0, count).sort();
  const min = sorted[Math.floor(0.01 * (count - 1))] ?? 0;
  const max = sorted[Math.ceil(0.995 * (count - 1))] ?? 1;
  return { min, max: max > min ? max : min + 1 };
}

/** Returns which of `total` lines or pixels are drawn: all, or 3,000 at even distances with the first and the last. */
function shownIndices(total: number): number[] {
  const shown = Math.min(total, MAX_SHOWN);
  return Array.from({ length: shown }, (_, i) => (shown === total ? i : Math.round((i * (total - 1)) / (shown - 1))));
}

/** Draws lines as columns: time to the right, the first pixel of a line at the bottom. */
export function drawLines(canvas: HTMLCanvasElement, samples: Float32Array, size: PlaneSize, contrast: Contrast): void {
  draw(canvas, shownIndices(size.height), shownIndices(size.width).reverse(), contrast, (line, pixel) => {
    return samples[line * size.width + pixel]!;
  });
}

/** Draws the plane as it is stored: the first row at the top. */
export function drawRows(canvas: HTMLCanvasElement, samples: Float32Array, size: PlaneSize, contrast: Contrast): void {
  draw(canvas, shownIndices(size.width), shownIndices(size.height), contrast, (column, row) => {
    return samples[row * size.width + column]!;
  });
}

/** NaN stays transparent. */
function draw(
  canvas: HTMLCanvasElement,
  across: number[],
  down: number[],
  { min, max }: Contrast,
  sampleAt: (across: number, down: number) => number,
): void {
  const image = new ImageData(across.length, down.length);
  let at = 0;
  for (const y of down) {
    for (const x of across) {
      const share = Math.min(1, Math.max(0, (sampleAt(x, y) - min) / (max - min)));
      for (const full of TINT) image.data[at++] = Math.round(share * full);
      image.data[at++] = Number.isNaN(share) ? 0 : 255;
    }
  }
  canvas.width = across.length;
  canvas.height = down.length;
  canvas.getContext('2d')!.putImageData(image, 0, 0);
}
