import { type ReadonlySignal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { themeChanges } from '../image/palette.ts';
import type { Pane } from '../model/document.ts';
import { Chart, Legend } from '../plot/chart.tsx';
import type { ChartState } from '../plot/chart-data.ts';
import { chooseMode } from '../plot/chart-data.ts';
import { chartAxis, cursorAlong, setCursorAlong, showWhole, visibleSamples, zoomTo } from './chart-link.ts';
import { channelColor, parseRgb } from './color.ts';
import type { Curves } from './curves.ts';
import { profileTitle } from './describe.ts';

interface ProfileChartProps {
  readonly pane: Pane;
  /** The last curves, so that a chart does not disappear when the pointer leaves. */
  readonly curves: ReadonlySignal<Curves | null>;
  /** Axis of the screen along which the profile runs. */
  readonly screen: 'x' | 'y';
  readonly left: number;
  readonly right: number;
  readonly height: number;
  /** False in a column of strips, whose horizontal axis is at its bottom. */
  readonly isAlone: boolean;
  /** Above the chart, with the legend. */
  heading?(legend: ComponentChildren): ComponentChildren;
}

/** Profiles over the visible part of an axis of the image. The cursor is that of the image, and a drag zooms into it. */
export function ProfileChart({ pane, curves, screen, left, right, height, isAlone, heading }: ProfileChartProps) {
  const root = useRef<HTMLDivElement>(null);
  const state = useComputed<ChartState | null>(() => {
    const now = curves.value;
    themeChanges.value;
    const window = visibleSamples(pane, screen);
    if (now === null || window === null || now.curves.length === 0) return null;
    const ground = parseRgb(root.current ? getComputedStyle(root.current).backgroundColor : '');
    return {
      curves: now.curves.map(({ channel, first, values, band }) => ({
        id: `profile ${channel.index}`,
        label: channel.name,
        color: channelColor(channel.display.value, ground),
        first,
        values,
        band,
      })),
      axis: chartAxis(pane, now.along),
      window,
      mode: chooseMode(now.curves.length, pane.ownScales.value),
      left,
      right,
    };
  });
  const cursor = useComputed(() => (curves.value === null ? null : cursorAlong(pane, curves.value.along)));
  const now = curves.value;
  return (
    <>
      {heading?.(<Legend state={state} cursor={cursor} hidden={pane.hiddenCurves} />)}
      <div ref={root} class="measure-chart">
        <Chart
          label={now === null ? 'No profile' : profileTitle(pane, now.along, now.subject)}
          state={state}
          height={height}
          isAlone={isAlone}
          hidden={pane.hiddenCurves}
          cursor={cursor}
          onPoint={(sample) => {
            const along = curves.peek()?.along;
            if (along !== undefined) setCursorAlong(pane, along, sample);
          }}
          onZoom={(window) => zoomTo(pane, screen, window)}
          onReset={() => showWhole(pane)}
        />
      </div>
    </>
  );
}
