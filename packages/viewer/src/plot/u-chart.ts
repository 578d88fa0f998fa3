/** A chart drawn by uPlot: curves with their bands, axes with units, and a drag that selects a part of the axis. */
import './language.ts';

import uPlot from 'uplot';
import { rowTicks } from '../image/row-ticks.ts';
import { axisTicks, sampleTicks } from '../image/ticks.ts';
import { indexAtValue, valueAtIndex } from '../model/measured-axis.ts';
import { formatNumber } from '../model/number-text.ts';
import { placeAtTime } from '../model/row-layout.ts';
import { axisLabels } from './axis-labels.ts';
import {
  type ChartCurve,
  type ChartState,
  type ChartStyle,
  type ChartWindow,
  chartData,
  type ScaleMode,
  toSample,
  visibleValues,
} from './chart-data.ts';
import { drawGaps } from './draw-gaps.ts';
import { drawWindows, withRibbon } from './windows.ts';

export interface UChart {
  update(state: ChartState, width: number, height: number): void;
  destroy(): void;
}

const TOP = 6;
const TICKS = 20;
const TITLE = 16;
/** Distance of the labels of the vertical axis from its ticks, and length of these, CSS pixels. */
const GAP = 3;
const TICK = 4;
/** Height of the horizontal axis with its title, CSS pixels. */
export const AXIS_HEIGHT = TICKS + TITLE;
/** Pixels per sample from which samples are dots that can be told apart. */
const DOT_ROOM = 6;
/** Width of a second vertical axis, CSS pixels. */
export const RIGHT_AXIS = 40;

/**
 * `select` is called with a part of the axis, in samples, after a drag across it. Without `hasAxis` the labels of the
 * horizontal axis are elsewhere, below a column of charts.
 */
export function createUChart(
  element: HTMLElement,
  style: ChartStyle,
  select: ((window: ChartWindow) => void) | null,
  hasAxis: boolean,
): UChart {
  let chart: uPlot | null = null;
  let built = '';
  let now: ChartState | null = null;
  let ranges: readonly (readonly [number, number])[] = [];
  // Below it is the ribbon, where the scale has no labels.
  let lowest = Number.NEGATIVE_INFINITY;

  const build = (state: ChartState, width: number, height: number): uPlot => {
    const options: uPlot.Options = {
      width,
      height,
      padding: [TOP, state.right, 0, 0],
      legend: { show: false },
      cursor: {
        x: false,
        y: false,
        points: { show: false },
        drag: { x: select !== null, y: false, setScale: false, dist: 6 },
      },
      scales: {
        x: { time: false, auto: false, range: () => shownValues(now) },
        ...Object.fromEntries(
          state.curves.map((_, i) => [scaleKey(i, state.mode), { auto: true, range: () => [...ranges[i]!] }]),
        ),
      },
      axes: [
        hasAxis ? horizontalAxis(style, () => now) : gridOnly(style, () => now),
        verticalAxis(style, state, () => lowest),
      ],
      series: [
        {},
        ...state.curves.flatMap((curve, i) => seriesOf(curve, scaleKey(i, state.mode), dotSize(state, width))),
      ],
      bands: bandsOf(state.curves),
      hooks: {
        drawAxes: [(drawn) => drawGaps(drawn, style, now)],
        draw: [
          (drawn) => drawWindows(drawn, style, now),
          ...(state.mode === 'own' ? [(drawn: uPlot) => drawRightScale(drawn, style, state)] : []),
        ],
        setSelect: [(drawn) => takeSelection(drawn, now, select)],
      },
    };
    return new uPlot(options, undefined, element);
  };

  return {
    update(state, width, height) {
      now = state;
      const plot = Math.max(1, width - state.left - state.right);
      const data = chartData(state.curves, state.axis, state.window, plot, state.mode);
      const own = state.range ? data.ranges.map(() => state.range!) : data.ranges;
      const inner = height - TOP - (hasAxis ? AXIS_HEIGHT : 0);
      ranges = state.windows ? own.map((range) => withRibbon(range, inner)) : own;
      lowest = state.windows ? (data.ranges[0]?.[0] ?? lowest) : Number.NEGATIVE_INFINITY;
      const structure = JSON.stringify([
        state.mode,
        dotSize(state, width),
        state.left,
        state.right,
        state.curves.map(({ color, dash, label, band }) => [color, dash, label, band !== null]),
      ]);
      if (chart === null || structure !== built) {
        chart?.destroy();
        chart = build(state, width, height);
        built = structure;
      } else if (chart.width !== width || chart.height !== height) chart.setSize({ width, height });
      const columns = data.lines.flatMap((line, i) => {
        const band = data.bands[i]!;
        return band === null ? [line] : [band.high, band.low, line];
      });
      chart.setData([data.x, ...columns] as uPlot.AlignedData);
    },
    destroy() {
      chart?.destroy();
      chart = null;
    },
  };
}

function shownValues(state: ChartState | null): [number, number] {
  return state === null ? [0, 1] : visibleValues(state.axis, state.window);
}

/** Samples at measured places are dots, so that one between two gaps is seen; null without dots. */
function dotSize({ axis, left, right }: ChartState, width: number): number | null {
  if (!axis.measured) return null;
  return axis.measured.filled.length > (width - left - right) / DOT_ROOM ? 2 : 5;
}

const scaleKey = (curve: number, mode: ScaleMode) => (mode === 'own' ? `y${curve}` : 'y0');

function seriesOf({ color, dash = [], label, band }: ChartCurve, scale: string, dots: number | null): uPlot.Series[] {
  const edge = { scale, width: 0, points: { show: false } };
  const points = dots === null ? { show: false } : { show: true, size: dots, width: 0, fill: color };
  const line = { label, scale, stroke: color, width: 1.25, dash: [...dash], points };
  return band === null ? [line] : [edge, edge, line];
}

function bandsOf(curves: readonly ChartCurve[]): uPlot.Band[] {
  const bands: uPlot.Band[] = [];
  let series = 1;
  for (const { color, band } of curves) {
    if (band !== null) bands.push({ series: [series, series + 1], fill: translucent(color) });
    series += band === null ? 1 : 3;
  }
  return bands;
}

function translucent(color: string): string {
  return color.startsWith('rgb(') ? `${color.slice(0, -1)} / 0.25)` : color;
}

function horizontalAxis({ text, line, font }: ChartStyle, state: () => ChartState | null): uPlot.Axis {
  const ticks = ({ bbox }: uPlot, min: number, max: number) => {
    const request = {
      unit: state()?.axis.unit ?? '',
      pixels: bbox.width / uPlot.pxRatio,
      room: (label: string) => Math.max(48, label.length * 7 + 14),
    };
    const { labels, rows } = state()?.axis ?? {};
    if (rows) {
      const { major } = rowTicks(rows, [min, max], request);
      return major.map(({ value, label }) => ({ value: placeAtTime(rows, value), label }));
    }
    if (!labels) return axisTicks({ ...request, from: min, to: max }).major;
    const [from, to] = [valueAtIndex(labels, min), valueAtIndex(labels, max)];
    const { major } = sampleTicks(labels, { ...request, from, to });
    return major.map(({ value, label }) => ({ value: indexAtValue(labels, value), label }));
  };
  return {
    scale: 'x',
    side: 2,
    size: TICKS,
    labelSize: TITLE,
    labelGap: 0,
    gap: 3,
    stroke: text,
    font: `11px ${font}`,
    labelFont: `11px ${font}`,
    label: () => {
      const [from, to] = shownValues(state());
      return state()?.axis.title(Math.max(Math.abs(from), Math.abs(to))) ?? '';
    },
    grid: { stroke: line, width: 1 },
    ticks: { stroke: text, width: 1, size: 4 },
    splits: (chart, _axis, min, max) => ticks(chart, min, max).map(({ value }) => value),
    values: (chart) => {
      const { min = 0, max = 1 } = chart.scales['x']!;
      return ticks(chart, min, max).map(({ label }) => label);
    },
  };
}

/** The lines of the horizontal axis without its labels. */
function gridOnly(style: ChartStyle, state: () => ChartState | null): uPlot.Axis {
  const { label: _label, labelSize: _size, ...axis } = horizontalAxis(style, state);
  return { ...axis, size: 0, ticks: { show: false }, values: (_chart, splits) => splits.map(() => '') };
}

/** The scale of the first curve; of all curves when they share one. */
function verticalAxis(
  { text, line, font }: ChartStyle,
  { left, mode, curves }: ChartState,
  lowest: () => number,
): uPlot.Axis {
  const labels = ({ ctx }: uPlot, splits: readonly (number | null)[]) => {
    ctx.save();
    ctx.font = `${11 * uPlot.pxRatio}px ${font}`;
    const texts = axisLabels(splits, left - GAP - TICK, (label) => ctx.measureText(label).width / uPlot.pxRatio);
    ctx.restore();
    return texts;
  };
  return {
    scale: 'y0',
    side: 3,
    size: left,
    gap: GAP,
    stroke: mode === 'own' ? curves[0]!.color : text,
    font: `11px ${font}`,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: text, width: 1, size: TICK },
    space: 20,
    filter: (_chart, splits) => splits.map((value) => (value < lowest() ? null : value)),
    values: (chart, splits) => (mode === 'relative' ? splits.map((value) => `${value} %`) : labels(chart, splits)),
  };
}

/**
 * Labels of the second scale, right of the plot. Where an image above leaves no space there, they are inside and have a
 * ground, so that curves do not run through them.
 */
function drawRightScale(
  { ctx, bbox, scales }: uPlot,
  { font, ground }: ChartStyle,
  { curves, right: room }: ChartState,
): void {
  const { color } = curves[1]!;
  const { min = 0, max = 1 } = scales['y1']!;
  const scale = uPlot.pxRatio;
  ctx.save();
  ctx.font = `${11 * scale}px ${font}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const half = 7 * scale;
  const edge = bbox.left + bbox.width;
  const outside = room >= RIGHT_AXIS;
  for (const value of rightTicks(min, max)) {
    const y = bbox.top + ((max - value) / (max - min)) * bbox.height;
    const inside = Math.min(bbox.top + bbox.height - half, Math.max(bbox.top + half, y));
    const text = formatNumber(value, 6);
    const width = ctx.measureText(text).width + 6 * scale;
    // A long label begins in the plot rather than being cut at the edge.
    const left = outside ? Math.min(edge + 3 * scale, ctx.canvas.width - width) : edge - 3 * scale - width;
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = ground;
    if (!outside) ctx.fillRect(left, inside - half, width, 2 * half);
    ctx.globalAlpha = 1;
    ctx.fillStyle = color;
    ctx.fillText(text, left + 3 * scale, inside + 0.5 * scale);
    ctx.fillRect(outside ? edge : edge - 3 * scale, y - 0.5 * scale, 3 * scale, scale);
  }
  ctx.restore();
}

/** Returns two or three round values of the right scale. */
function rightTicks(min: number, max: number): number[] {
  const length = max - min;
  if (!(length > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(length));
  // Of steps that give two values or more, the largest.
  const step = [10, 5, 2, 1, 0.5].map((factor) => factor * power).find((size) => countMultiples(size, min, max) >= 2)!;
  const first = Math.ceil(min / step);
  const ticks = Array.from({ length: countMultiples(step, min, max) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
  return ticks.length > 3 ? ticks.filter((_, i) => i % 2 === 0) : ticks;
}

function countMultiples(step: number, min: number, max: number): number {
  return Math.floor(max / step) - Math.ceil(min / step) + 1;
}

function takeSelection(chart: uPlot, state: ChartState | null, select: ((window: ChartWindow) => void) | null): void {
  const { left, width } = chart.select;
  if (width <= 0 || state === null || select === null) return;
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  const at = (pixel: number) => {
    const value = chart.posToVal(pixel, 'x');
    return state.axis.rows ? value : toSample(state.axis, value);
  };
  select({ from: at(left), to: at(left + width) });
}
