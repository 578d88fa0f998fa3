/** Smooths planes for display. Measured and saved values stay the samples. */
import type { Smoothing } from '../model/display.ts';
import type { Shape } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { pauseEvery } from '../model/yield-to-page.ts';
import { copyForPhase, moveOddRows } from './line-phase.ts';

/** Rows that are smoothed between two pauses, at least. */
const BLOCK_SAMPLES = 1 << 16;
/** Milliseconds of work between two turns of the page. */
const SLICE_MS = 8;

/**
 * Returns smoothed samples of a plane. Samples that are not finite stay as they are, and do not count for others; beyond
 * its border a plane has no samples. Rejects with the reason of an aborted signal.
 */
export async function smoothPlane(
  data: Samples,
  shape: Shape,
  smoothing: Smoothing,
  signal?: AbortSignal,
): Promise<Samples> {
  const pause = pauseEvery(SLICE_MS);
  const steps = smoothInSteps(data, shape, smoothing);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await pause(signal);
  }
}

/** Returns smoothed samples of a small plane at once. */
export function smoothNow(data: Samples, shape: Shape, smoothing: Smoothing): Samples {
  const steps = smoothInSteps(data, shape, smoothing);
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}

function* smoothInSteps(stored: Samples, shape: Shape, smoothing: Smoothing): Generator<void, Samples> {
  const [rows, columns] = shape;
  const { linePhase = 0 } = smoothing;
  const block = Math.max(16, Math.ceil(BLOCK_SAMPLES / columns));
  const data = linePhase === 0 ? stored : copyForPhase(stored, linePhase);
  for (let from = 0; linePhase !== 0 && from < rows; from += block) {
    moveOddRows(data, stored, columns, linePhase, [from, Math.min(rows, from + block)]);
    yield;
  }
  if (smoothing.kind === 'none') return data;
  const gaussian = smoothing.kind === 'gaussian';
  // A median is one of the samples, and has their type.
  const result = gaussian ? new Float32Array(data.length) : data.slice();
  const { sigma, alongTime = false } = smoothing;
  const smooth = gaussian ? createGaussian(data, shape, sigma, alongTime) : createMedian(data, shape, alongTime);
  for (let from = 0; from < rows; from += block) {
    smooth(result, from, Math.min(rows, from + block));
    yield;
  }
  return result;
}

/** Fills the rows `from` to `end` of the result. */
type SmoothRows = (result: Samples, from: number, end: number) => void;

/**
 * Returns weights exp(−k² / 2σ²) of the samples at a distance of k, up to three standard deviations. Sums are divided by
 * the weights of the samples that exist.
 */
export function gaussianWeights(sigma: number): Float64Array {
  return Float64Array.from({ length: Math.ceil(3 * sigma) + 1 }, (_, k) => Math.exp(-(k * k) / (2 * sigma * sigma)));
}

function createGaussian(data: Samples, [rows, columns]: Shape, sigma: number, alongRows: boolean): SmoothRows {
  const weights = gaussianWeights(sigma);
  const across = alongRows ? Float64Array.of(1) : weights;
  const reach = weights.length - 1;
  return (result, from, end) => {
    const first = Math.max(0, from - reach);
    const last = Math.min(rows, end + reach);
    // Sums of weighted samples along each row, and of the weights of those that are finite.
    const sums = new Float64Array((last - first) * columns);
    const counted = new Float64Array(sums.length);
    for (let row = first; row < last; row++)
      sumRow(data, row * columns, columns, across, sums, counted, (row - first) * columns);
    for (let row = from; row < end; row++) {
      for (let column = 0, at = row * columns; column < columns; column++, at++) {
        if (!Number.isFinite(data[at])) {
          result[at] = data[at]!;
          continue;
        }
        let sum = 0;
        let weight = 0;
        for (let near = Math.max(first, row - reach); near <= Math.min(last - 1, row + reach); near++) {
          const share = weights[Math.abs(near - row)]!;
          const place = (near - first) * columns + column;
          sum += share * sums[place]!;
          weight += share * counted[place]!;
        }
        result[at] = sum / weight;
      }
    }
  };
}

function sumRow(
  data: Samples,
  start: number,
  columns: number,
  weights: Float64Array,
  sums: Float64Array,
  counted: Float64Array,
  target: number,
): void {
  const reach = weights.length - 1;
  for (let column = 0; column < columns; column++) {
    let sum = 0;
    let weight = 0;
    const last = Math.min(columns - 1, column + reach);
    for (let near = Math.max(0, column - reach); near <= last; near++) {
      const value = data[start + near]!;
      if (value - value !== 0) continue;
      const share = weights[near < column ? column - near : near - column]!;
      sum += share * value;
      weight += share;
    }
    sums[target + column] = sum;
    counted[target + column] = weight;
  }
}

/**
 * The median of 3 × 3 samples, or of 3 lines. Beyond the border, and instead of samples that are not finite, the middle
 * one counts.
 */
function createMedian(data: Samples, [rows, columns]: Shape, alongRows: boolean): SmoothRows {
  const nine = new Float64Array(9);
  // Three times the same three samples have their median.
  const reach = alongRows ? 0 : 1;
  return (result, from, end) => {
    for (let row = from; row < end; row++) {
      for (let column = 0; column < columns; column++) {
        const at = row * columns + column;
        const middle = data[at]!;
        if (!Number.isFinite(middle)) {
          result[at] = middle;
          continue;
        }
        let count = 0;
        for (let y = row - 1; y <= row + 1; y++) {
          for (let i = -1; i <= 1; i++) {
            const x = column + i * reach;
            const value = y >= 0 && y < rows && x >= 0 && x < columns ? data[y * columns + x]! : middle;
            nine[count++] = value - value === 0 ? value : middle;
          }
        }
        result[at] = median(nine);
      }
    }
  };
}

/** Returns the median of nine numbers, which are sorted as far as needed. */
function median(nine: Float64Array): number {
  for (let i = 0; i < 5; i++) {
    let least = i;
    for (let j = i + 1; j < 9; j++) if (nine[j]! < nine[least]!) least = j;
    const value = nine[least]!;
    nine[least] = nine[i]!;
    nine[i] = value;
  }
  return nine[4]!;
}
