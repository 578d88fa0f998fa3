import type { PlaneData } from '../../model/samples/plane-data.js';
import { type Window, WindowReader } from './window.js';

/** Counts and moments of a window. `NaN`, `+∞` and `−∞` are counted apart and take part in nothing. */
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

/** Running sums. Samples are taken minus the first finite one, so that the variance does not cancel out. */
interface Sums extends Pick<Moments, 'finite' | 'nan' | 'posInf' | 'negInf' | 'min' | 'max'> {
  shift: number;
  /** Of the shifted samples. */
  sum: number;
  squares: number;
}

/** Computes in float64, with a partial sum for each piece of the window. */
export function* moments(data: PlaneData, window: Window): Generator<void, Moments> {
  const reader = new WindowReader(data, window);
  const sums: Sums = {
    ...{ finite: 0, nan: 0, posInf: 0, negInf: 0 },
    ...{ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, shift: 0, sum: 0, squares: 0 },
  };
  yield* reader.pieces((rows, columns) => {
    for (let i = 0; i < rows; i++) addRow(sums, reader.samples, i * columns, (i + 1) * columns);
  });
  return toMoments(sums);
}

/** A row has its own partial sums. */
function addRow(sums: Sums, samples: Float32Array, from: number, to: number): void {
  let { finite, min, max, shift } = sums;
  let sum = 0;
  let squares = 0;
  for (let i = from; i < to; i++) {
    const sample = samples[i]!;
    if (sample - sample === 0) {
      if (finite === 0) shift = sample;
      finite++;
      if (sample < min) min = sample;
      if (sample > max) max = sample;
      const shifted = sample - shift;
      sum += shifted;
      squares += shifted * shifted;
    } else if (Number.isNaN(sample)) sums.nan++;
    else if (sample > 0) sums.posInf++;
    else sums.negInf++;
  }
  Object.assign(sums, { finite, min, max, shift });
  sums.sum += sum;
  sums.squares += squares;
}

function toMoments({ finite, shift, sum, squares, ...rest }: Sums): Moments {
  const offset = sum / finite;
  return {
    ...rest,
    finite,
    mean: shift + offset,
    std: Math.sqrt(Math.max(0, squares / finite - offset * offset)),
    sum: finite === 0 ? 0 : shift * finite + sum,
  };
}
