import { type ReadonlySignal, useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { moveThrough, useOneStop } from '../image/one-stop.ts';
import type { Pane } from '../model/document.ts';
import { Chart, Legend } from '../plot/chart.tsx';
import type { ChartState } from '../plot/chart-data.ts';
import { type ChartLane, chartLanes } from '../plot/lanes.ts';

/** Least height of a plot without its axis, CSS pixels. */
const HEIGHT = 48;

interface TraceLanesProps {
  readonly pane: Pane;
  readonly state: ReadonlySignal<ChartState | null>;
  readonly cursor: ReadonlySignal<number | null>;
  /** True where the lanes share the whole height. */
  readonly fills: boolean;
  /** What the traces run over, for screen readers. */
  readonly over: string;
}

/** A lane for each region, with one scale and one axis; those that do not fit are scrolled. */
export function TraceLanes({ pane, state, cursor, fills, over }: TraceLanesProps) {
  const hidden = pane.hiddenCurves;
  const lanes = useComputed(() => (state.value === null ? [] : chartLanes(state.value, hidden.value)));
  const { length } = lanes.value;
  const list = useRef<HTMLUListElement>(null);
  useOneStop(list);
  return (
    <ul
      ref={list}
      class={`stack-lanes${fills ? ' stack-lanes-fill' : ''}`}
      aria-label="Regions"
      onKeyDown={moveThrough}
    >
      {lanes.value.map((lane, i) => (
        <Lane
          key={`${lane.id} ${i === length - 1}`}
          lane={lane}
          lanes={lanes}
          isLast={i === length - 1}
          {...{ pane, cursor, fills, over }}
        />
      ))}
    </ul>
  );
}

interface LaneProps extends Omit<TraceLanesProps, 'state'> {
  readonly lane: ChartLane;
  readonly lanes: ReadonlySignal<readonly ChartLane[]>;
  readonly isLast: boolean;
}

function Lane({ pane, lane: { id, name, state: now }, lanes, isLast, cursor, fills, over }: LaneProps) {
  const state = useComputed(() => lanes.value.find((lane) => lane.id === id)?.state ?? null);
  const { selectedMark, hiddenCurves } = pane;
  const isChosen = selectedMark.value === id;
  return (
    <li class="stack-lane" data-chosen={isChosen} data-last={isLast}>
      <div class="stack-lane-bar" style={{ paddingLeft: `${now.left - 4}px` }}>
        <button
          type="button"
          class="quiet stack-lane-name"
          aria-pressed={isChosen}
          title={`Select ${name}`}
          style={{ color: now.curves[0]?.color }}
          onClick={() => (selectedMark.value = isChosen ? null : id)}
        >
          {name}
        </button>
        <Legend state={state} cursor={cursor} hidden={hiddenCurves} isInLane />
      </div>
      <Chart
        label={`Trace of ${name} over ${over}`}
        state={state}
        height={HEIGHT}
        fills={fills}
        isAlone={isLast}
        hasLegend={false}
        hidden={hiddenCurves}
        cursor={cursor}
      />
    </li>
  );
}
