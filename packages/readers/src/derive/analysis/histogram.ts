import type { SourceData } from '../../model/samples/plane-data.js';
import { type Window, WindowReader } from './window.js';

export interface Histogram {
  /** One more than `counts`. */
  edges: number[];
  counts: number[];
  /** Finite samples outside the edges. */
  below: number;
  above: number;
}

/** Returns the bytes of a histogram: its edges and counts. */
export function histogramBytes(bins = 0): number {
  return 2 * bins * Float64Array.BYTES_PER_ELEMENT;
}

/**
 * Counts the finite samples as `numpy.histogram` does: bins are half open, the last one is closed.
 * @param range first and last edge; equal ones are moved apart by 0.5 each
 */
export function* histogram(
  data: SourceData,
  window: Window,
  bins: number,
  range: readonly [number, number],
): Generator<void, Histogram> {
  const [first, last] = range[0] === range[1] ? [range[0] - 0.5, range[1] + 0.5] : range;
  const edges = Float64Array.from({ length: bins + 1 }, (_, i) =>
    i === bins ? last : first + i * ((last - first) / bins),
  );
  const counts = new Float64Array(bins);
  const outside = { below: 0, above: 0 };
  const reader = new WindowReader(data, window);
  yield* reader.pieces((rows, columns) => {
    addSamples(reader.samples, rows * columns, { edges, counts, outside });
  });
  return { edges: [...edges], counts: [...counts], ...outside };
}

interface Bins {
  edges: Float64Array;
  counts: Float64Array;
  outside: { below: number; above: number };
}

/** The division may round to the neighbor of the right bin, which its edges tell. */
function addSamples(samples: Float32Array, count: number, { edges, counts, outside }: Bins): void {
  const bins = counts.length;
  const first = edges[0]!;
  const last = edges[bins]!;
  const perUnit = bins / (last - first);
  for (let i = 0; i < count; i++) {
    const sample = samples[i]!;
    if (sample - sample !== 0) continue;
    if (sample < first) outside.below++;
    else if (sample > last) outside.above++;
    else {
      let bin = Math.min(bins - 1, Math.floor((sample - first) * perUnit));
      if (sample < edges[bin]!) bin--;
      else if (bin < bins - 1 && sample >= edges[bin + 1]!) bin++;
      counts[bin]!++;
    }
  }
}
