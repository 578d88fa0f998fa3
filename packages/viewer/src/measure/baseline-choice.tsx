import { parseBaseline } from '../analysis/baseline.ts';
import type { Baseline, Pane } from '../model/document.ts';
import { isArea } from '../model/mark-kind.ts';
import { markName } from './marks.ts';

/** What a baseline can be computed over. */
export interface BaselineAxis {
  /** `time point`, `section`, `line` */
  readonly sample: string;
  readonly size: number;
  /** Number of the first sample on screen and in files. */
  readonly first: number;
}

interface BaselineChoiceProps {
  readonly pane: Pane;
  /** Null for a single image, whose marks can only be compared with a region. */
  readonly axis: BaselineAxis | null;
}

/** Samples of the mean that is offered. */
const FIRST_RANGE = 5;

/** Chooses what ΔF/F₀ compares with: the same pixels over time, or a region. Trace and the table of marks share it. */
export function BaselineChoice({ pane, axis }: BaselineChoiceProps) {
  const now = parseBaseline(pane.baseline.value);
  const regions = pane.marks.value.filter(({ kind }) => isArea(kind));
  const choose = (value: string) => {
    const fresh = { percentile: 'p20', range: `range 0 ${Math.min(FIRST_RANGE, axis?.size ?? 1)}` }[value];
    pane.baseline.value = (fresh ?? value) as Baseline;
  };
  return (
    <span class="measure-buttons measure-baseline">
      <label>
        F₀{' '}
        <select
          name="baseline"
          value={now?.kind === 'mark' ? pane.baseline.value : now?.kind}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {axis === null ? (
            <option value={now?.kind === 'mark' ? 'percentile' : now?.kind}>none</option>
          ) : (
            <>
              <option value="percentile">{`percentile of all ${axis.sample}s`}</option>
              <option value="mean">{`mean of all ${axis.sample}s`}</option>
              <option value="range">{`mean of some ${axis.sample}s`}</option>
            </>
          )}
          {regions.map((mark) => (
            <option key={mark.id} value={`mark ${mark.id}`}>
              mean of {markName(mark)}
            </option>
          ))}
        </select>
      </label>
      {axis !== null && <Numbers pane={pane} axis={axis} />}
    </span>
  );
}

/** The percentile, or the first and the last sample of the mean. */
function Numbers({ pane, axis }: { readonly pane: Pane; readonly axis: BaselineAxis }) {
  const { sample, size, first } = axis;
  const now = parseBaseline(pane.baseline.value);
  const set = (baseline: Baseline) => {
    pane.baseline.value = baseline;
  };
  if (now?.kind === 'percentile') {
    return (
      <Field label="Percentile of the baseline" value={now.percent} range={[0, 100]} set={(to) => set(`p${to}`)} />
    );
  }
  if (now?.kind !== 'range') return null;
  const last = Math.min(size, now.to) - 1 + first;
  return (
    <>
      <Field
        label={`First ${sample} of the baseline`}
        value={now.from + first}
        range={[first, size - 1 + first]}
        set={(value) => set(`range ${value - first} ${Math.max(value - first + 1, now.to)}`)}
      />
      <span>to</span>
      <Field
        label={`Last ${sample} of the baseline`}
        value={last}
        range={[first, size - 1 + first]}
        set={(value) => set(`range ${Math.min(now.from, value - first)} ${value - first + 1}`)}
      />
    </>
  );
}

interface RangeFieldProps {
  readonly label: string;
  readonly value: number;
  readonly range: readonly [number, number];
  set(value: number): void;
}

function Field({ label, value, range: [min, max], set }: RangeFieldProps) {
  return (
    <input
      type="number"
      aria-label={label}
      min={min}
      max={max}
      value={value}
      onChange={(event) => {
        const next = Math.round(event.currentTarget.valueAsNumber);
        if (Number.isFinite(next)) set(Math.min(max, Math.max(min, next)));
      }}
    />
  );
}
