/**
 * Division of rows into cells for a picture in which they lie at measured times: some are higher than others, and pixels
 * between them show what was not recorded.
 */
import { type RowLayout, recordedAt, rowAtPlace } from '../model/row-layout.ts';
import type { AxisPlan, AxisView } from './axis-plan.ts';

/** Rows as pixels see them. The entries before and after the picture are those of one more pixel at each side. */
export interface PlacedRows {
  /** Samples along the axis of the texture. */
  readonly samples: number;
  /** Sample at the edges of the pixels, with fractions. */
  readonly edges: Float64Array;
  /** Sample in the middle of each pixel; NaN outside of the plane and in a gap. */
  readonly middles: Float64Array;
  readonly flipped: boolean;
}

/**
 * @param view the visible part of the axis, as places of the layout
 * @param part rows that the texture shows with `samples` entries
 */
export function placeRows(
  rows: RowLayout,
  { start, length, pixels, flipped }: AxisView,
  [first, end]: readonly [number, number],
  samples: number,
): PlacedRows {
  const step = length / pixels;
  // Cells of several rows begin at multiples of a step, so that they stay the same while the view moves.
  const from = step > 1 ? Math.round(start / step - 1e-6) * step : start;
  const toSample = (row: number) => Math.min(samples, Math.max(0, ((row - first) * samples) / (end - first)));
  const edges = new Float64Array(pixels + 3);
  const middles = new Float64Array(pixels + 2).fill(Number.NaN);
  for (let i = 0; i < edges.length; i++) edges[i] = toSample(rowAtPlace(rows, from + (i - 1) * step));
  for (let i = 0; i < middles.length; i++) {
    const place = from + (i - 0.5) * step;
    if (place >= 0 && place < rows.length) middles[i] = toSample(recordedAt(rows, place));
  }
  return { samples, edges, middles, flipped };
}

/** Returns the fewest samples of a pixel, beside those at the edge of a gap; 1 without any. */
export function leastPerPixel({ edges, middles }: PlacedRows): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 1; i + 1 < middles.length; i++) {
    if (Number.isNaN(middles[i - 1]! + middles[i]! + middles[i + 1]!)) continue;
    least = Math.min(least, edges[i + 1]! - edges[i]!);
  }
  return Number.isFinite(least) ? least : 1;
}

/** Plans the rows. Every visible sample belongs to one cell. `factor` is the number of samples per block of the level. */
export function planRows({ samples, edges, middles, flipped }: PlacedRows, factor: number): AxisPlan {
  const blocks = Math.ceil(samples / factor);
  const toBlock = (sample: number) => (sample >= samples - 1e-6 ? blocks : Math.round(sample / factor));
  const bounds: number[] = [];
  const map = new Int32Array(middles.length - 2).fill(-1);
  for (let i = 0; i < middles.length; i++) {
    const middle = Math.floor(middles[i]! / factor);
    if (Number.isNaN(middle)) continue;
    // Before a gap, a pixel also has what reaches into the next one.
    const low = edges[i]!;
    const high = edges[Number.isNaN(middles[i + 1] ?? 0) ? i + 2 : i + 1]!;
    const isInside = high - low < factor;
    if (bounds.length === 0) bounds.push(isInside ? middle : toBlock(low));
    const end = Math.min(blocks, isInside ? middle + 1 : toBlock(high));
    if (end > bounds.at(-1)!) bounds.push(end);
    if (i > 0 && i <= map.length) map[i - 1] = bounds.length - 2;
  }
  if (bounds.length === 0) bounds.push(0);
  if (flipped) map.reverse();
  return { bounds: Int32Array.from(bounds), cells: bounds.length - 1, map };
}
