import uPlot from 'uplot';
import { paintHatch, paintLength } from '../image/paint-gaps.ts';
import { gapsBetween } from '../model/row-layout.ts';
import { type ChartState, type ChartStyle, visibleValues } from './chart-data.ts';

/** Hatches what was not recorded, under the curves. */
export function drawGaps(chart: uPlot, { gaps: colors }: ChartStyle, state: ChartState | null): void {
  if (state === null) return;
  const { ctx, bbox } = chart;
  const scale = uPlot.pxRatio;
  const area = { x: bbox.left / scale, y: bbox.top / scale, width: bbox.width / scale, height: bbox.height / scale };
  const at = (value: number) => Math.round(chart.valToPos(value, 'x', true)) / scale;
  ctx.save();
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  const { rows, measured } = state.axis;
  const [low, high] = visibleValues(state.axis, state.window);
  for (const gap of rows ? gapsBetween(rows, low, high) : []) {
    const [left, right] = [at(gap.start), at(gap.end)];
    if (left === right) continue;
    const rect = { ...area, x: left, width: right - left };
    paintHatch(ctx, rect, area, colors);
    // Strips of a line scan lie below its picture, which has the labels.
    if (measured && gap.isShortened) paintLength(ctx, gap, rect, colors);
  }
  ctx.restore();
}
