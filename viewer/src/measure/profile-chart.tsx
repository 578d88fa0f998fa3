import { batch, type ReadonlySignal, useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { themeChanges } from '../image/palette.ts';
import { cardKeys, cardView, frameOf, goHome, imageAreaOf, paneState, setView } from '../image/pane-state.ts';
import { axisTitle, displayAxes } from '../image/plane-axes.ts';
import { zoomToBox } from '../image/viewport.ts';
import type { Pane } from '../model/document.ts';
import { Chart } from '../plot/chart.tsx';
import { type ChartWindow, chooseMode } from '../plot/chart-data.ts';
import type { ChartState } from '../plot/u-chart.ts';
import { channelColor, parseRgb } from './color.ts';
import type { Curves } from './curves.ts';
import { profileAxes, profileTitle } from './describe.ts';

interface ProfileChartProps {
  readonly pane: Pane;
  /** The last curves, so that a chart does not disappear when the pointer leaves. */
  readonly curves: ReadonlySignal<Curves | null>;
  /** Axis of the screen along which the profile runs. */
  readonly screen: 'x' | 'y';
  readonly left: number;
  readonly right: number;
  readonly height: number;
}

/** Profiles over the visible part of an axis of the image. The cursor is that of the image, and a drag zooms into it. */
export function ProfileChart({ pane, curves, screen, left, right, height }: ProfileChartProps) {
  const root = useRef<HTMLDivElement>(null);
  const state = useComputed<ChartState | null>(() => {
    const now = curves.value;
    themeChanges.value;
    const window = visibleSamples(pane, screen);
    if (now === null || window === null || now.curves.length === 0) return null;
    const ground = parseRgb(root.current ? getComputedStyle(root.current).backgroundColor : '');
    const axis = profileAxes(pane, now.along).along;
    return {
      curves: now.curves.map(({ channel, first, values, band }) => ({
        label: channel.name,
        color: channelColor(channel.display.value, ground),
        first,
        values,
        band,
      })),
      axis: {
        unit: axis.unit,
        step: axis.step,
        origin: axis.calibrated ? 0 : 0.5,
        title: (largest) => axisTitle(axis, largest),
      },
      window,
      mode: chooseMode(now.curves.length, pane.ownScales.value),
      left,
      right,
    };
  });
  const cursor = useComputed(() => {
    const at = pane.cursor.value;
    const now = curves.value;
    if (at === null || now === null) return null;
    return now.along === 'row' ? at.column : at.row;
  });
  const now = curves.value;
  const point = (sample: number) => {
    const along = curves.peek()?.along;
    const at = pane.cursor.peek() ?? { row: 0.5, column: 0.5 };
    const size = pane.shape[along === 'row' ? 1 : 0];
    if (along === undefined || !(sample >= 0 && sample < size)) return;
    pane.cursor.value = along === 'row' ? { ...at, column: sample } : { ...at, row: sample };
  };
  return (
    <div ref={root} class="measure-chart">
      <Chart
        label={now === null ? 'No profile' : profileTitle(pane, now.along, now.subject)}
        state={state}
        height={height}
        cursor={cursor}
        onPoint={point}
        onZoom={(window) => zoomTo(pane, screen, window)}
        onReset={() => {
          const [card] = cardKeys(pane);
          if (card !== undefined) goHome(pane, card);
        }}
      />
    </div>
  );
}

/** Returns the samples that the first card shows along an axis of the screen; null while it is not on screen. */
function visibleSamples(pane: Pane, screen: 'x' | 'y'): ChartWindow | null {
  const area = imageAreaOf(pane).value;
  if (area === null) return null;
  if (screen === 'x') return { from: area.view.x, to: area.view.x + area.view.width };
  const { y } = displayAxes(pane);
  const from = y.reversed ? y.size - area.view.y - area.view.height : area.view.y;
  // A view can extend beyond the plane, where there is nothing to plot.
  return { from: Math.max(0, from), to: Math.min(y.size, from + area.view.height) };
}

function zoomTo(pane: Pane, screen: 'x' | 'y', { from, to }: ChartWindow): void {
  const [card] = cardKeys(pane);
  const area = card === undefined ? undefined : paneState(pane).areas.peek().get(card);
  const view = card === undefined ? null : cardView(pane, card);
  if (card === undefined || area === undefined || view === null) return;
  const { y } = displayAxes(pane);
  const [a, b] = screen === 'y' && y.reversed ? [y.size - to, y.size - from] : [from, to];
  const box = zoomToBox({ x: a, y: a }, { x: b, y: b }, screen, view, frameOf(pane, area));
  batch(() => setView(pane, card, box, { kind: 'chart', at: Number.NEGATIVE_INFINITY }));
}
