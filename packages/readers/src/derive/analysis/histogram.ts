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
  private readonly counts: Uint32Array;
  private readonly perUnit: number;
  private below = 0;
  private above = 0;

  constructor(bins: number, range: readonly [number, number]) {
    const [first, last] = range[0] === range[1] ? [range[0] - 0.5, range[1] + 0.5] : range;
    this.edges = Float64Array.from({ length: bins + 1 }, (_, i) =>
      i === bins ? last : first + i * ((last - first) / bins),
    );
    this.counts = new Uint32Array(bins);
    this.perUnit = bins / (last - first);
  }

  addSamples(samples: Float32Array, count: number): void {
    const { edges, counts, perUnit } = this;
    const [first, last] = [edges[0]!, edges[counts.length]!];
    for (let i = 0; i < count; i++) {
      const sample = samples[i]!;
      if (sample >= first && sample <= last) counts[binOf(sample, edges, perUnit)]!++;
      else if (sample - sample === 0) this.addOutside(sample, 1);
    }
  }

  add(sample: number, times: number): void {
    const { edges, counts, perUnit } = this;
    if (sample >= edges[0]! && sample <= edges[counts.length]!) counts[binOf(sample, edges, perUnit)]! += times;
    else this.addOutside(sample, times);
  }

  end(): Histogram {
    const { edges, counts, below, above } = this;
    return { edges: [...edges], counts: [...counts], below, above };
  }

  private addOutside(sample: number, times: number): void {
    if (sample < this.edges[0]!) this.below += times;
    else this.above += times;
  }
}

/** Returns the bin of a sample between the outer edges. */
function binOf(sample: number, edges: Float64Array, perUnit: number): number {
  const last = edges.length - 2;
  const bin = Math.min(last, ((sample - edges[0]!) * perUnit) | 0);
  // The division may round to the neighbor of the right bin, which its edges tell.
  if (sample < edges[bin]!) return bin - 1;
  return bin < last && sample >= edges[bin + 1]! ? bin + 1 : bin;
}
