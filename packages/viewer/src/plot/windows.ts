/** What a chart of windows has beside its curve: rings for values that are not accepted, and a ribbon of their quality. */
import uPlot from 'uplot';
import { type ChartState, type ChartStyle, toSample, toValue } from './chart-data.ts';

const RADIUS = 2.5;
/** Height of the ribbon and its distance to the curve, CSS pixels. */
const RIBBON = 8;
const GAP = 5;

/** Lowers the scale of a curve so that the ribbon has a place below it. `height` is that of the plot, CSS pixels. */
export function withRibbon([low, high]: readonly [number, number], height: number): readonly [number, number] {
  const taken = Math.min(0.5, (RIBBON + GAP) / Math.max(1, height));
  return [low - ((high - low) * taken) / (1 - taken), high];
}

export function drawWindows(chart: uPlot, { text, font }: ChartStyle, state: ChartState | null): void {
  if (!state?.windows) return;
  const { ctx } = chart;
  ctx.save();
  drawRibbon(chart, state, text);
  drawLabel(chart, state.windows.ribbon.label, text, font);
  drawRings(chart, state);
  ctx.restore();
}

function drawRibbon({ ctx, bbox, posToVal }: uPlot, state: ChartState, color: string): void {
  const { first, values } = state.windows!.ribbon;
  const height = RIBBON * uPlot.pxRatio;
  ctx.fillStyle = color;
  for (let x = 0; x < bbox.width; x++) {
    const sample = toSample(state.axis, posToVal((x + 0.5) / uPlot.pxRatio, 'x'));
    const quality = values[Math.floor(sample) - first];
    if (quality === undefined || Number.isNaN(quality)) continue;
    ctx.globalAlpha = 0.08 + 0.82 * Math.min(1, Math.max(0, quality));
    ctx.fillRect(bbox.left + x, bbox.top + bbox.height - height, 1, height);
  }
  ctx.globalAlpha = 1;
}

function drawLabel({ ctx, bbox }: uPlot, label: string, color: string, font: string): void {
  ctx.fillStyle = color;
  ctx.font = `${11 * uPlot.pxRatio}px ${font}`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'middle';
  ctx.fillText(label, bbox.left - 7 * uPlot.pxRatio, bbox.top + bbox.height - (RIBBON / 2) * uPlot.pxRatio);
}

/** Values beyond the scale, which is that of the accepted ones, are at its edge. */
function drawRings(chart: uPlot, { windows, curves, axis }: ChartState): void {
  const { ctx, bbox } = chart;
  const radius = RADIUS * uPlot.pxRatio;
  const bottom = bbox.top + bbox.height - (RIBBON + GAP) * uPlot.pxRatio;
  ctx.strokeStyle = curves[0]?.color ?? 'gray';
  ctx.lineWidth = uPlot.pxRatio;
  let last = { x: Number.NEGATIVE_INFINITY, y: 0 };
  for (const { at, value } of windows!.rings) {
    const x = chart.valToPos(toValue(axis, at), 'x', true);
    if (!Number.isFinite(value) || x < bbox.left || x > bbox.left + bbox.width) continue;
    const y = Math.min(bottom - radius, Math.max(bbox.top + radius, chart.valToPos(value, 'y0', true)));
    // Rings on top of each other add nothing but time.
    if (Math.hypot(x - last.x, y - last.y) < radius) continue;
    last = { x, y };
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.stroke();
  }
}
