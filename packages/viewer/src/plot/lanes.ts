/** Charts below each other for the curves of each thing, with one scale. */
import { type ChartState, chartData } from './chart-data.ts';
import { visibleState } from './hidden-curves.ts';

export interface ChartLane {
  readonly id: string;
  readonly name: string;
  readonly state: ChartState;
}

/** Charts of more things would take longer to draw than to read. */
export const MAX_LANES = 64;

/** Splits a chart whose curves are all in lanes, in their order. The scale is that of the curves that are not hidden. */
export function chartLanes(state: ChartState, hidden: ReadonlySet<string> = new Set()): ChartLane[] {
  const { curves, axis, window } = state;
  // It does not depend on the number of points.
  const [range] = chartData(visibleState(state, hidden).curves, axis, window, 400, 'shared').ranges;
  const lanes = new Map(curves.flatMap(({ lane }) => (lane ? [[lane.id, lane]] : [])));
  return [...lanes.values()].map(({ id, name }) => ({
    id,
    name,
    state: {
      ...state,
      mode: 'shared',
      curves: curves.filter(({ lane }) => lane?.id === id),
      ...(range ? { range } : {}),
    },
  }));
}
