import { effect, type ReadonlySignal, signal, useComputed } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import { moveThrough, useOneStop } from '../image/one-stop.ts';
import { gapColorsOf } from '../image/paint-gaps.ts';
import { themeChanges } from '../image/palette.ts';
import { formatNumber } from '../model/number-text.ts';
import {
  type ChartCurve,
  type ChartState,
  type ChartWindow,
  sampleIn,
  toValue,
  valueAt,
  visibleValues,
} from './chart-data.ts';
import { type HiddenCurves, toggleCurve, visibleState } from './hidden-curves.ts';
import './plot.css';
import { AXIS_HEIGHT, createUChart } from './u-chart.ts';

interface ChartProps {
  /** Describes the chart for screen readers. */
  readonly label: string;
  /** Curves and axis; the chart stays empty while null. */
  readonly state: ReadonlySignal<ChartState | null>;
  /** Height of the plot without its axis, CSS pixels; that of the container, at least, with `fills`. */
  readonly height?: number;
  /** True for a chart that takes the whole height of its container. */
  readonly fills?: boolean;
  /** False for a chart whose horizontal axis is below another one, and whose legend is in a heading. */
  readonly isAlone?: boolean;
  /** False for the last one of several charts with one legend. */
  readonly hasLegend?: boolean;
  /** Curves that are not drawn. Their names in the legend are buttons that show and hide them. */
  readonly hidden?: HiddenCurves;
  /** Position of the cursor on the axis, in samples; null without one. */
  readonly cursor?: ReadonlySignal<number | null>;
  /** Called with the sample under the pointer. */
  onPoint?(sample: number): void;
  /** Called with the samples that the user has dragged across. */
  onZoom?(window: ChartWindow): void;
  /** Called after a double click. */
  onReset?(): void;
}

/** Curves over an axis with units. The values at the cursor are in the legend. */
export function Chart(props: ChartProps) {
  const { label, state, height = 96, fills = false, hidden, cursor, onPoint, onZoom, onReset } = props;
  const { isAlone = true, hasLegend = isAlone } = props;
  const below = isAlone ? AXIS_HEIGHT : 0;
  const element = useRef<HTMLDivElement>(null);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const zooms = onZoom !== undefined;
  useLayoutEffect(() => {
    const target = element.current as HTMLDivElement;
    const size = signal({ width: target.clientWidth, height: target.clientHeight });
    const observer = new ResizeObserver(() => {
      size.value = { width: target.clientWidth, height: target.clientHeight };
    });
    observer.observe(target);
    const stop = effect(() => {
      // The colors of a chart are those of the theme when it is made.
      themeChanges.value;
      const { color, borderTopColor, fontFamily, backgroundColor } = getComputedStyle(target);
      const style = {
        text: color,
        line: borderTopColor,
        font: fontFamily,
        ground: backgroundColor,
        gaps: gapColorsOf(target),
      };
      const chart = createUChart(target, style, zooms ? (window) => zoom.current?.(window) : null, isAlone);
      const stopDrawing = effect(() => {
        const now = state.value;
        const { width, height } = size.value;
        if (now !== null && width > 0 && height > 0) chart.update(visibleState(now, hidden?.value), width, height);
      });
      return () => {
        stopDrawing();
        chart.destroy();
      };
    });
    return () => {
      stop();
      observer.disconnect();
    };
  }, [state, zooms, isAlone, hidden]);
  const point = (event: PointerEvent) => {
    const now = state.peek();
    const plot = element.current?.querySelector('.u-over')?.getBoundingClientRect();
    if (now === null || plot === undefined || onPoint === undefined) return;
    const { from, to } = now.window;
    const share = (event.clientX - plot.left) / plot.width;
    if (share >= 0 && share < 1) onPoint(sampleIn(now.axis, from + share * (to - from)));
  };
  return (
    <div class={`plot${fills ? ' plot-fills' : ''}`}>
      {hasLegend && <Legend state={state} cursor={cursor} hidden={hidden} />}
      <div
        class="plot-frame"
        style={{ [fills ? 'minHeight' : 'height']: `${height + below}px`, '--below': `${below}px` }}
      >
        <div
          ref={element}
          class="plot-canvas"
          role="img"
          aria-label={label}
          onPointerMove={point}
          onDblClick={onReset}
        />
        {cursor && <CursorLine state={state} cursor={cursor} />}
      </div>
    </div>
  );
}

interface CursorProps {
  readonly state: ReadonlySignal<ChartState | null>;
  readonly cursor: ReadonlySignal<number | null>;
}

/** The cursor, over the canvas, so that the chart is not drawn again when the pointer moves. */
function CursorLine({ state, cursor }: CursorProps) {
  const now = state.value;
  const at = cursor.value;
  if (now === null || at === null) return null;
  const [low, high] = visibleValues(now.axis, now.window);
  const share = (toValue(now.axis, at) - low) / (high - low);
  if (share < 0 || share > 1) return null;
  return (
    <div class="plot-cursor" style={{ left: `calc(${now.left}px + ${share} * (100% - ${now.left + now.right}px))` }} />
  );
}

interface LegendProps {
  readonly state: CursorProps['state'];
  readonly cursor: CursorProps['cursor'] | undefined;
  readonly hidden?: HiddenCurves | undefined;
  /** True for the legend of a lane, which names what its curves are of. */
  readonly isInLane?: boolean;
}

/** Curves of a legend with values. */
const MAX_VALUES = 64;

/** Names and colors of the curves, with their values at the cursor. */
export function Legend({ state, cursor, hidden, isInLane = false }: LegendProps) {
  const entries = useComputed(() => {
    const { curves = [], windows } = state.value ?? {};
    // Hundreds of values would be written anew with each step of the cursor.
    const at = curves.length > MAX_VALUES ? null : (cursor?.value ?? null);
    const text = (curve: Pick<ChartCurve, 'first' | 'values'>) => {
      const value = at === null ? Number.NaN : valueAt(curve, at);
      return Number.isFinite(value) ? formatNumber(value, 5) : '';
    };
    return [
      ...curves.map((curve) => ({ ...curve, value: text(curve) })),
      ...(windows ? [{ label: windows.ribbon.label, color: 'gray', dash: [], value: text(windows.ribbon) }] : []),
    ];
  });
  const canHide = hidden !== undefined && (isInLane || entries.value.length > 1);
  const left = isInLane ? 0 : (state.value?.left ?? 0);
  const list = useRef<HTMLUListElement>(null);
  useOneStop(list, !isInLane);
  return (
    <ul
      ref={list}
      class="plot-legend"
      {...(isInLane ? {} : { onKeyDown: moveThrough })}
      style={{ paddingLeft: `${left}px` }}
    >
      {entries.value.map((entry, i) => (
        <li key={`${i} ${entry.label}`}>
          {canHide && 'id' in entry && entry.id !== undefined ? (
            <button
              type="button"
              class="plot-name"
              aria-pressed={!hidden.value.has(entry.id)}
              title={hidden.value.has(entry.id) ? `Show ${entry.label}` : `Hide ${entry.label}`}
              onClick={() => toggleCurve(hidden, entry.id!)}
            >
              <Name {...entry} label={isInLane ? (entry.lane?.curve ?? '') : entry.label} />
            </button>
          ) : (
            <Name {...entry} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface NameProps {
  readonly label: string;
  readonly color: string;
  readonly dash?: readonly number[];
  readonly value: string;
}

function Name({ label, color, dash = [], value }: NameProps) {
  return (
    <>
      {dash.length === 0 ? (
        <span class="plot-swatch" style={{ backgroundColor: color }} />
      ) : (
        <svg class="plot-dash" viewBox="0 0 18 10" aria-hidden="true">
          <path d="M0 5h18" stroke={color} stroke-dasharray={dash.join(' ')} />
        </svg>
      )}
      {label} <b>{value}</b>
    </>
  );
}
