/** Curves that the user has hidden by their name in the legend. */
import type { Signal } from '@preact/signals';
import type { ChartCurve, ChartState } from './chart-data.ts';

export type HiddenCurves = Signal<ReadonlySet<string>>;

function isHidden({ id }: ChartCurve, hidden: ReadonlySet<string> | undefined): boolean {
  return id !== undefined && hidden?.has(id) === true;
}

export function toggleCurve(hidden: HiddenCurves, id: string): void {
  const next = new Set(hidden.peek());
  if (!next.delete(id)) next.add(id);
  hidden.value = next;
}

/** Returns a chart without its hidden curves, whose scale is that of the others. */
export function visibleState(state: ChartState, hidden: ReadonlySet<string> | undefined): ChartState {
  const curves = state.curves.filter((curve) => !isHidden(curve, hidden));
  if (curves.length === state.curves.length) return state;
  // Without a curve there are only axes.
  const empty = state.curves.slice(0, 1).map((curve) => ({ ...curve, values: [], band: null }));
  const mode = state.mode === 'own' ? 'shared' : state.mode;
  return { ...state, mode, curves: curves.length === 0 ? empty : curves };
}
