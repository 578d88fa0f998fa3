/** The curves of the regions beside or below the pictures of a figure. */
import { baselineWords } from '../analysis/baseline.ts';
import { rowTicks } from '../image/row-ticks.ts';
import { axisTicks } from '../image/ticks.ts';
import { backgroundMark, markName, markNameOf } from '../measure/marks.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import type { Size } from '../model/geometry.ts';
import { isArea } from '../model/mark-kind.ts';
import { formatFixed } from '../model/number-text.ts';
import { placeAtTime } from '../model/row-layout.ts';
import { type ChartState, chartData, visibleValues } from '../plot/chart-data.ts';
import { visibleState } from '../plot/hidden-curves.ts';
import { chartLanes, MAX_LANES } from '../plot/lanes.ts';
import { subtractBackground } from '../stack/background.ts';
import { placeOf } from '../stack/place.ts';
import { chartState } from '../stack/trace-chart.ts';
import { readTraces, traceAxis, traceBaseline, traceDirection } from '../stack/traces.ts';
import type { FigureChoices } from './figure-choices.ts';
import { gapsSvg } from './figure-gaps.ts';
import { dashAttribute, type FigureAxis, type FigureName, LINE } from './figure-layout.ts';
import { escapeXml } from './xml.ts';

/** Curves in a figure, before they are placed. */
export interface FigurePlot {
  readonly side: 'beside' | 'below';
  readonly names: readonly FigureName[];
  /** What F₀ is; empty for means. */
  readonly note: string;
  /** Lanes below each other. */
  readonly lanes: number;
  axis(along: 'x' | 'y', length: number): FigureAxis;
  /** Returns the curves as SVG, in points from the corner of the plot. */
  draw(size: Size): string;
}

type PlotText = { readonly font: number; measure(text: string): number };

/** True when there are regions with something to go along. */
export function hasTraces(document: AcquisitionDocument, pane: Pane): boolean {
  const hasRegion = pane.marks.value.some(({ kind }) => isArea(kind));
  return pane.kind === 'source' && hasRegion && traceDirection(document) !== null;
}

const WHITE = [255, 255, 255] as const;

/** Reads the curves; null where none was chosen. */
export async function figurePlot(
  { document, pane }: { readonly document: AcquisitionDocument; readonly pane: Pane },
  { traces: side, relative, lanes }: FigureChoices,
  text: PlotText,
  signal: AbortSignal,
): Promise<FigurePlot | null> {
  if (side === 'none' || !hasTraces(document, pane)) return null;
  const whole = await readTraces(document, placeOf(document.info.peek()), signal);
  if (whole === null) return null;
  const read = subtractBackground(whole, pane.background.peek());
  const background = backgroundMark(pane);
  const less = background === null ? '' : ` − ${markName(background)}`;
  const axis = traceAxis(document, read.along);
  const baseline = pane.baseline.peek();
  const f0 = relative ? (trace: (typeof read.traces)[number]) => traceBaseline(trace, read.traces, baseline) : null;
  const words = baselineWords(baseline, axis.sample, axis.first, (id) => markNameOf(pane, id));
  return {
    ...chartPlot(
      visibleState(chartState(axis, read.traces, f0, WHITE), pane.hiddenCurves.peek()),
      { title: relative ? 'ΔF/F₀' : `mean${less}`, lanes },
      text,
    ),
    side,
    note: relative ? `F₀: ${words}${background === null ? '' : `; background: ${markName(background)}`}` : '',
  };
}

/** Room above and below the curves, as a part of their range. */
const MARGIN = 0.05;

function chartPlot(state: ChartState, shown: { readonly title: string; readonly lanes: boolean }, text: PlotText) {
  const { curves, axis, window } = state;
  const { title } = shown;
  const { font, measure } = text;
  const split = shown.lanes ? chartLanes(state) : [];
  const lanes = split.length > 1 && split.length <= MAX_LANES ? split : [{ name: '', state }];
  const [from, to] = visibleValues(axis, window);
  // The range does not depend on the number of points.
  const [low = 0, high = 1] = chartData(curves, axis, window, 400, 'shared').ranges[0] ?? [];
  const margin = MARGIN * (high - low) || 1;
  const y = { from: low - margin, to: high + margin };
  return {
    names: curves.map(({ label, color, dash = [] }) => ({ text: label, colors: [color], low: '', high: '', dash })),
    axis(along: 'x' | 'y', length: number): FigureAxis {
      if (along === 'y') {
        const ticks = valueTicks(y, length / lanes.length / (2.2 * font));
        const inLane = (lane: number) => ticks.map((tick) => ({ ...tick, place: (lane + tick.place) / lanes.length }));
        return { title, ticks: lanes.flatMap((_, lane) => inLane(lane)) };
      }
      const room = (label: string) => Math.max(4 * font, measure(label) + font);
      const request = { unit: axis.unit, pixels: length, room };
      const { rows } = axis;
      const { major } = rows ? rowTicks(rows, [from, to], request) : axisTicks({ ...request, from, to });
      return {
        title: axis.title(Math.max(Math.abs(from), Math.abs(to))),
        ticks: major.map(({ value, label }) => {
          const at = rows ? placeAtTime(rows, value) : value;
          return { place: (at - from) / (to - from), text: label };
        }),
      };
    },
    lanes: lanes.length,
    draw({ width, height }: Size): string {
      const each = height / lanes.length;
      const drawLane = ({ name, state: one }: (typeof lanes)[number], lane: number) => {
        const { x, lines } = chartData(one.curves, axis, window, Math.ceil(2 * width), 'shared');
        const at = (value: number, i: number) =>
          `${round(((x[i]! - from) / (to - from)) * width)},${round((lane + (y.to - value) / (y.to - y.from)) * each)}`;
        const drawn = lines.map((values, i) => polylines(values, at, one.curves[i]!)).join('');
        return laneMarks(name, one.curves[0]!.color, { lane, top: lane * each, width, font }) + drawn;
      };
      const gaps = gapsSvg(axis.rows?.gaps ?? [], (place) => ((place - from) / (to - from)) * width, {
        size: { width, height },
        font,
        measure,
      });
      return gaps + lanes.map(drawLane).join('');
    },
  };
}

/** Draws the name of a lane and the line above it. */
function laneMarks(
  name: string,
  color: string,
  at: { lane: number; top: number; width: number; font: number },
): string {
  if (name === '') return '';
  const { lane, top, width, font } = at;
  const line = `<path d="M0 ${round(top)}h${round(width)}" stroke="#b0b0b0" stroke-width="${LINE / 2}"/>`;
  const words = `<text x="${round(0.3 * font)}" y="${round(top + font)}" fill="${color}">${escapeXml(name)}</text>`;
  return (lane > 0 ? line : '') + words;
}

/** Draws a curve, which breaks where it has no value. */
function polylines(
  values: readonly (number | null)[],
  at: (value: number, i: number) => string,
  { color, dash = [] }: ChartState['curves'][number],
): string {
  const pieces: string[][] = [];
  let open = false;
  values.forEach((value, i) => {
    if (value === null) {
      open = false;
      return;
    }
    if (!open) pieces.push([]);
    open = true;
    const point = at(value, i);
    const piece = pieces.at(-1)!;
    if (piece.at(-1) !== point) piece.push(point);
  });
  return pieces
    .map((points) => (points.length === 1 ? [points[0]!, points[0]!] : points))
    .map(
      (points) =>
        `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="${2 * LINE}" stroke-linejoin="round"${dashAttribute(dash)}/>`,
    )
    .join('');
}

/** Returns ticks at round values from the top down: about as many as there is room for, at least two. */
export function valueTicks({ from, to }: { from: number; to: number }, room: number): FigureAxis['ticks'] {
  const most = Math.max(2, Math.min(6, Math.floor(room)));
  const least = Math.floor(Math.log10((to - from) / most)) - 1;
  const steps = [0, 1, 2].flatMap((more) => [1, 2, 5].map((digit) => ({ digit, exponent: least + more })));
  const times = ({ digit, exponent }: (typeof steps)[number]) => {
    const step = Number(`${digit}e${exponent}`);
    const first = Math.ceil(from / step - 1e-9);
    const count = Math.max(0, Math.floor(to / step + 1e-9) - first + 1);
    return { step, exponent, first, count };
  };
  const all = steps.map(times).filter(({ count }) => count > 1);
  const { step, exponent, first, count } = all.find((one) => one.count <= most) ?? all.at(-1)!;
  return Array.from({ length: count }, (_, i) => {
    const value = (first + i) * step;
    return { place: (to - value) / (to - from), text: formatFixed(value, Math.max(0, -exponent)) };
  });
}

const round = (value: number) => Math.round(value * 100) / 100;
