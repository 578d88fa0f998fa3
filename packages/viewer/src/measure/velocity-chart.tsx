import { type ReadonlySignal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { themeChanges } from '../image/palette.ts';
import type { Pane } from '../model/document.ts';
import { Chart, Legend } from '../plot/chart.tsx';
import type { ChartState } from '../plot/chart-data.ts';
import { chartAxis, cursorAlong, setCursorAlong, showWhole, visibleSamples, zoomTo } from './chart-link.ts';
import { channelColor, parseRgb } from './color.ts';
import type { VelocityState } from './follow-velocity.ts';
import { velocityUnit } from './mark-records.ts';
import { goodVelocities, perLine, rejectedVelocities } from './velocity-values.ts';
import { summary } from './velocity-words.ts';

interface VelocityChartProps {
  readonly pane: Pane;
  readonly state: ReadonlySignal<VelocityState>;
  readonly minQuality: ReadonlySignal<number>;
  /** Height of the plot without its axis, CSS pixels. */
  readonly height: number;
  readonly left: number;
  readonly right: number;
  /** Above the chart, with the legend. */
  heading(legend: ComponentChildren): ComponentChildren;
}

/** The velocity of accepted windows, rings for the others, and the quality of all of them. */
export function VelocityChart({ pane, state, minQuality, height, left, right, heading }: VelocityChartProps) {
  const root = useRef<HTMLDivElement>(null);
  const chart = useComputed<ChartState | null>(() => {
    const { result } = state.value;
    const window = visibleSamples(pane, 'x');
    themeChanges.value;
    if (result === null || window === null || result.starts.length === 0) return null;
    const style = root.current ? getComputedStyle(root.current) : null;
    return {
      curves: [
        {
          label: `Velocity (${velocityUnit(pane)})`,
          color: channelColor(result.channel.display.value, parseRgb(style?.backgroundColor ?? '')),
          ...perLine(result, goodVelocities(result, pane, minQuality.value)),
          band: null,
        },
      ],
      windows: {
        rings: rejectedVelocities(result, pane, minQuality.value),
        ribbon: { label: 'quality', ...perLine(result, result.qualities) },
      },
      axis: chartAxis(pane, 'column'),
      window,
      mode: 'shared',
      left,
      right,
    };
  });
  const cursor = useComputed(() => cursorAlong(pane, 'column'));
  return (
    <>
      {heading(<Legend state={chart} cursor={cursor} />)}
      <div ref={root} class="measure-chart measure-muted">
        <Chart
          label={`Velocity over time: ${summary(state.value.result, pane, minQuality.value)}`}
          state={chart}
          height={height}
          isAlone={false}
          cursor={cursor}
          onPoint={(line) => setCursorAlong(pane, 'column', line)}
          onZoom={(window) => zoomTo(pane, 'x', window)}
          onReset={() => showWhole(pane)}
        />
      </div>
    </>
  );
}
