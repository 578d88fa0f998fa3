/** Draws profiles into a canvas: a line for each channel, over a band from its min to its max. */
import { computeEnvelope, findRange } from './envelope.ts';

interface PlotCurve {
  readonly color: string;
  readonly first: number;
  readonly values: ArrayLike<number>;
  readonly band: { readonly min: ArrayLike<number>; readonly max: ArrayLike<number> } | null;
}

interface Plot {
  /** In CSS pixels, the unit of the context. */
  readonly width: number;
  readonly height: number;
  /** Visible range of the axis in samples. */
  readonly from: number;
  readonly to: number;
  readonly curves: readonly PlotCurve[];
  /** Values at bottom and top; null for the range of the visible curves. */
  readonly range: readonly [low: number, high: number] | null;
}

/** Draws a plot and returns its range of values, for the labels. */
export function drawPlot(context: CanvasRenderingContext2D, plot: Plot): readonly [low: number, high: number] {
  const { width, height } = plot;
  context.clearRect(0, 0, width, height);
  const pixels = Math.max(1, Math.round(width));
  const window = { from: plot.from, to: plot.to, pixels };
  const drawn = plot.curves.map(({ color, first, values, band }) => ({
    color,
    line: computeEnvelope(values, first, window),
    low: band && computeEnvelope(band.min, first, window),
    high: band && computeEnvelope(band.max, first, window),
  }));
  const all = drawn.flatMap(({ line, low, high }) => [line, ...(low ? [low] : []), ...(high ? [high] : [])]);
  const range = plot.range ?? findRange(all);
  const toY = (value: number) => height - ((value - range[0]) / (range[1] - range[0])) * height;
  for (const { color, line, low, high } of drawn) {
    context.fillStyle = color;
    context.strokeStyle = color;
    if (low && high) {
      context.globalAlpha = 0.25;
      for (let x = 0; x < pixels; x++) {
        const [top, bottom] = [toY(high.high[x]!), toY(low.low[x]!)];
        if (bottom >= top) context.fillRect(x, top, 1, Math.max(1, bottom - top));
      }
      context.globalAlpha = 1;
    }
    strokeEnvelope(context, line, toY);
  }
  return range;
}

/** Draws a line that goes down and up in each pixel, like a chart recorder. Gaps stay gaps. */
function strokeEnvelope(
  context: CanvasRenderingContext2D,
  { low, high }: { low: Float64Array; high: Float64Array },
  toY: (value: number) => number,
): void {
  context.beginPath();
  context.lineWidth = 1.25;
  context.lineJoin = 'round';
  let pen = false;
  for (let x = 0; x < low.length; x++) {
    const [bottom, top] = [toY(low[x]!), toY(high[x]!)];
    if (Number.isNaN(bottom)) {
      pen = false;
      continue;
    }
    if (pen) context.lineTo(x + 0.5, bottom);
    else context.moveTo(x + 0.5, bottom);
    // A pixel with a single value must be visible too.
    context.lineTo(x + 0.5, top === bottom ? top + 0.01 : top);
    pen = true;
  }
  context.stroke();
}
