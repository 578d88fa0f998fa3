import type { SourceData } from '../../model/samples/plane-data.js';
import type { ValueCounts } from './value-counts.js';
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
  const running = new Bins(bins, range);
  const reader = new WindowReader(data, window);
  yield* reader.pieces((rows, columns) => running.addSamples(reader.samples, rows * columns));
  return running.end();
}

/** Returns the histogram of counted integers: that of `histogram`. */
export function histogramOfCounts(
  { least, counts }: ValueCounts,
  bins: number,
  range: readonly [number, number],
): Histogram {
  const running = new Bins(bins, range);
  for (let i = 0; i < counts.length; i++) {
    if (counts[i] !== 0) running.add(least + i, counts[i]!);
  }
  return running.end();
}

class Bins {
  private readonly edges: Float64Array;
  private readonly counts: Float64Array;
  private readonly perUnit: number;
  private below = 0;
  private above = 0;

  constructor(bins: number, range: readonly [number, number]) {
    const [first, last] = range[0] === range[1] ? [range[0] - 0.5, range[1] + 0.5] : range;
    this.edges = Float64Array.from({ length: bins + 1 }, (_, i) =>
      i === bins ? last : first + i * ((last - first) / bins),
    );
    this.counts = new Float64Array(bins);
    this.perUnit = bins / (last - first);
  }

  addSamples(samples: Float32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const sample = samples[i]!;
      if (sample - sample === 0) this.add(sample, 1);
    }
  }

  /** The division may round to the neighbor of the right bin, which its edges tell. */
  add(sample: number, times: number): void {
    const { edges, counts } = this;
    const bins = counts.length;
    if (sample < edges[0]!) this.below += times;
    else if (sample > edges[bins]!) this.above += times;
    else {
      let bin = Math.min(bins - 1, Math.floor((sample - edges[0]!) * this.perUnit));
      if (sample < edges[bin]!) bin--;
      else if (bin < bins - 1 && sample >= edges[bin + 1]!) bin++;
      counts[bin]! += times;
    }
  }

  end(): Histogram {
    const { edges, counts, below, above } = this;
    return { edges: [...edges], counts: [...counts], below, above };
  }
}
