/** Traces of regions as curves of a chart. */
import { relativeTo } from '../analysis/baseline.ts';
import { axesRoom } from '../image/paint-axes.ts';
import { rowAxis } from '../measure/chart-link.ts';
import type { Rgb } from '../measure/color.ts';
import { markPlotColor } from '../measure/mark-colors.ts';
import { markName } from '../measure/marks.ts';
import { placeAtRow } from '../model/row-layout.ts';
import { scaleFor } from '../model/units.ts';
import type { ChartAxis, ChartState, ChartWindow } from '../plot/chart-data.ts';
import { traceName } from './trace-table.ts';
import type { Trace, TraceAxis } from './traces.ts';

/** Lines of the first, second, … channel of a region, whose color they share. */
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

/** Returns the traces as a chart. @param f0 F₀ of a trace for ΔF/F₀; null for means @param ground color behind the chart */
export function chartState(
  axis: TraceAxis,
  traces: readonly Trace[],
  f0: ((trace: Trace) => number) | null,
  ground: Rgb,
): ChartState {
  const channels = [...new Set(traces.map(({ channel }) => channel))];
  const what = f0 === null ? 'mean' : 'ΔF/F₀';
  const room = axesRoom();
  return {
    curves: traces.map((trace) => {
      const { mark, channel, values } = trace;
      return {
        id: `trace ${mark.id} ${channel.index}`,
        lane: { id: mark.id, name: markName(mark), curve: channels.length > 1 ? channel.name : what },
        label: `${traceName(trace, channels.length)}${f0 === null ? '' : ` ${what}`}`,
        color: markPlotColor(mark, ground),
        dash: DASHES[channels.indexOf(channel) % DASHES.length]!,
        first: 0,
        values: f0 === null ? values : relativeTo(values, f0(trace)),
        band: null,
      };
    }),
    axis: chartAxis(axis),
    window: windowOf(axis),
    mode: 'shared',
    left: room.left,
    right: room.right,
  };
}

function windowOf({ rows, size, sample }: TraceAxis): ChartWindow {
  if (rows === null) return { from: 0, to: size };
  return sample === 'line' ? { from: 0, to: rows.length } : { from: -0.5, to: placeAtRow(rows, size - 1) + 0.5 };
}

function chartAxis(axis: TraceAxis): ChartAxis {
  if (axis.rows !== null) {
    const shared = rowAxis({ ...axis, sample: 'line' }, axis.rows);
    // Lines are as wide as they last; time points are dots at their times.
    return axis.sample === 'line' ? shared : { ...shared, measured: axis.measured, origin: 0.5 };
  }
  return {
    unit: axis.unit,
    step: axis.step,
    measured: axis.measured,
    // Measured samples are instants in the middle of a time point; time points count from 1, and a calibrated axis begins with 0 at the first one.
    origin: axis.measured
      ? 0.5
      : axis.calibrated
        ? 0
        : axis.sample === 'time point' || axis.sample === 'section'
          ? -0.5
          : 0.5,
    title: (largest) => (axis.calibrated ? `${axis.quantity} (${scaleFor(axis.unit, largest).unit})` : axis.sample),
  };
}
