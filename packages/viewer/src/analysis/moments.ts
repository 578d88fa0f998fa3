import type { Samples } from '../model/samples.ts';

/** Accurate mean and variance of many samples: two passes over each short block, combined with Chan's formula. */
export interface Moments {
  count: number;
  nonFinite: number;
  min: number;
  max: number;
  sum: number;
  mean: number;
  /** Sum of squared distances from the mean. */
  squares: number;
  /** True while every sample is a whole number. */
  integer: boolean;
}

export function createMoments(): Moments {
  return { count: 0, nonFinite: 0, min: Infinity, max: -Infinity, sum: 0, mean: 0, squares: 0, integer: true };
}

/** Adds data[from, to). Blocks must be short (about 10,000 samples), so that a plain sum is accurate. */
export function addBlock(moments: Moments, data: Samples, from: number, to: number): void {
  let { min, max, integer } = moments;
  let count = 0;
  let sum = 0;
  for (let at = from; at < to; at++) {
    const value = data[at]!;
    // The difference is NaN for NaN and for infinities.
    if (value - value !== 0) continue;
    count += 1;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
    if (integer && value !== Math.floor(value)) integer = false;
  }
  moments.nonFinite += to - from - count;
  if (count === 0) return;
  const mean = sum / count;
  let squares = 0;
  for (let at = from; at < to; at++) {
    const distance = data[at]! - mean;
    if (distance - distance === 0) squares += distance * distance;
  }
  join(moments, { count, sum, mean, squares });
  moments.min = min;
  moments.max = max;
  moments.integer = integer;
}

function join(moments: Moments, block: { count: number; sum: number; mean: number; squares: number }): void {
  const count = moments.count + block.count;
  const distance = block.mean - moments.mean;
  moments.squares += block.squares + (distance * distance * moments.count * block.count) / count;
  moments.mean += (distance * block.count) / count;
  moments.sum += block.sum;
  moments.count = count;
}

/** Returns the standard deviation with n − 1, as in ImageJ; 0 for a single sample, NaN for none. */
export function standardDeviation({ count, squares }: Moments): number {
  if (count === 0) return Number.NaN;
  return count === 1 ? 0 : Math.sqrt(squares / (count - 1));
}
