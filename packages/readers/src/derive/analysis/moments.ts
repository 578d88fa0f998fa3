import type { SourceData } from '../../model/samples/plane-data.js';
import type { ValueCounts } from './value-counts.js';
import { type Window, WindowReader } from './window.js';

/** Counts and moments of samples. `NaN`, `+∞` and `−∞` are counted apart and take part in nothing. */
export interface Moments {
  finite: number;
  nan: number;
  posInf: number;
  negInf: number;
  /** `Infinity` and `-Infinity` when nothing is finite. */
  min: number;
  max: number;
  /** Arithmetic mean and population standard deviation (`ddof` 0); `NaN` when nothing is finite. */
  mean: number;
  std: number;
  sum: number;
}

/**
 * Sums of the samples so far, in float64, minus one of them that is near their mean: so those of integers and constants are
 * exact, and the variance does not cancel out.
 */
export interface RunningMoments extends Omit<Moments, 'mean' | 'std' | 'sum'> {
  shift: number;
  /** Of the shifted samples. */
  shiftedSum: number;
  squares: number;
}

/** Samples that are added at once. Each run of them has its own partial sums. */
const RUN_SAMPLES = 16_384;
/** Squares of integers of up to 16 bits are summed in two parts. */
const SPLIT = 65_536;

export function createMoments(): RunningMoments {
  return {
    ...{ finite: 0, nan: 0, posInf: 0, negInf: 0 },
    ...{ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, shift: 0, shiftedSum: 0, squares: 0 },
  };
}

/** Adds samples `from` … `to` − 1: at most some 10,000 at once. */
export function addSamples(moments: RunningMoments, samples: ArrayLike<number>, from: number, to: number): void {
  if (moments.finite === 0) moments.shift = nearMean(samples, from, to);
  let { min, max, finite } = moments;
  const { shift } = moments;
  let sum = 0;
  let squares = 0;
  for (let i = from; i < to; i++) {
    const sample = samples[i]!;
    // The difference is NaN for NaN and for infinities.
    if (sample - sample === 0) {
      finite++;
      if (sample < min) min = sample;
      if (sample > max) max = sample;
      const shifted = sample - shift;
      sum += shifted;
      squares += shifted * shifted;
    } else if (sample > 0) moments.posInf++;
    else if (sample < 0) moments.negInf++;
    else moments.nan++;
  }
  Object.assign(moments, { min, max, finite });
  moments.shiftedSum += sum;
  moments.squares += squares;
}

/** Returns the finite sample that is nearest to the mean; 0 without one. */
function nearMean(samples: ArrayLike<number>, from: number, to: number): number {
  let sum = 0;
  let count = 0;
  for (let i = from; i < to; i++) {
    const sample = samples[i]!;
    if (sample - sample !== 0) continue;
    sum += sample;
    count++;
  }
  const mean = sum / count;
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let i = from; i < to; i++) {
    const distance = Math.abs(samples[i]! - mean);
    if (!(distance < least)) continue;
    least = distance;
    nearest = samples[i]!;
  }
  return nearest;
}

/** Returns the moments of everything that was added. */
export function endMoments({ shift, shiftedSum, squares, ...counts }: RunningMoments): Moments {
  const { finite } = counts;
  if (finite > 0 && [shift, shiftedSum, squares].every(Number.isSafeInteger)) {
    return { ...counts, ...momentsOfIntegers(BigInt(finite), BigInt(shift), BigInt(shiftedSum), BigInt(squares)) };
  }
  const offset = shiftedSum / finite;
  return {
    ...counts,
    mean: shift + offset,
    std: Math.sqrt(Math.max(0, squares / finite - offset * offset)),
    sum: finite === 0 ? 0 : shift * finite + shiftedSum,
  };
}

/** Returns moments that do not depend on the shift, which is that of both sums: nothing is rounded before the end. */
function momentsOfIntegers(
  count: bigint,
  shift: bigint,
  shiftedSum: bigint,
  squares: bigint,
): Pick<Moments, 'mean' | 'std' | 'sum'> {
  const sum = Number(shift * count + shiftedSum);
  const std = Math.sqrt(Number(count * squares - shiftedSum * shiftedSum)) / Number(count);
  return { mean: sum / Number(count), std, sum };
}

/** Returns the standard deviation with n − 1, as in ImageJ; 0 for a single sample, NaN for none. */
export function sampleDeviation({ std, finite }: Pick<Moments, 'std' | 'finite'>): number {
  return finite === 1 ? 0 : std * Math.sqrt(finite / (finite - 1));
}

/** Computes the moments of a window. */
export function* moments(data: SourceData, window: Window): Generator<void, Moments> {
  const reader = new WindowReader(data, window);
  const running = createMoments();
  yield* reader.pieces((rows, columns) => {
    const end = rows * columns;
    for (let i = 0; i < end; i += RUN_SAMPLES) {
      addSamples(running, reader.samples, i, Math.min(end, i + RUN_SAMPLES));
    }
  });
  return endMoments(running);
}

/** Computes the moments of counted integers: those of `moments`, or nearer to the exact ones where it rounds sums of squares. */
export function momentsOfCounts({ least, counts }: ValueCounts): Moments {
  // A plane has fewer than 2³² samples: these sums are below 2⁵³, and exact.
  let [finite, sum, upper, lower] = [0, 0, 0, 0];
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!;
    const square = i * i;
    finite += count;
    sum += count * i;
    upper += count * Math.floor(square / SPLIT);
    lower += count * (square % SPLIT);
  }
  const squares = BigInt(upper) * BigInt(SPLIT) + BigInt(lower);
  return {
    ...{ finite, nan: 0, posInf: 0, negInf: 0 },
    min: least + counts.findIndex((count) => count > 0),
    max: least + counts.findLastIndex((count) => count > 0),
    ...momentsOfIntegers(BigInt(finite), BigInt(least), BigInt(sum), squares),
  };
}
