/** Traces as columns of a table. */
import { untracked } from '@preact/signals';
import { baselineWords, relativeTo } from '../analysis/baseline.ts';
import type { TableColumn } from '../export/csv.ts';
import { backgroundMark, markName, markNameOf } from '../measure/marks.ts';
import type { AcquisitionDocument, Baseline } from '../model/document.ts';
import { type Trace, type Traces, traceAxis, traceBaseline } from './traces.ts';

const SYMBOLS: Readonly<Record<string, string>> = { seconds: 's', micrometer: 'um' };

/** Returns the name of a trace: `Region 2 · Calcium`; without the channel when there is only one. */
export function traceName({ mark, channel }: Trace, channels: number): string {
  const name = markName(mark);
  return channels > 1 ? `${name} · ${channel.name}` : name;
}

/**
 * Returns the number of each value (time points and sections count from 1, lines from 0, as on screen), its position,
 * and each trace, followed by ΔF/F₀ with its baseline in the title.
 */
export function traceColumns(
  document: AcquisitionDocument,
  { along, traces }: Traces,
  baseline: Baseline,
): TableColumn[] {
  const axis = traceAxis(document, along);
  const { first } = axis;
  const numbers = Float64Array.from({ length: axis.size }, (_, i) => i + first);
  // A time point is an instant; a line takes time, and counts with its middle, as in all tables of the page.
  const middle = along === 'Y' ? 0.5 : 0;
  const symbol = SYMBOLS[axis.unit];
  const position =
    axis.calibrated && symbol !== undefined
      ? [
          {
            title: `${axis.quantity} (${symbol})`,
            // NaN where the file has no time: a table holds what was measured.
            values: axis.measured?.values ?? numbers.map((_, i) => Number(((i + middle) * axis.step).toPrecision(12))),
          },
        ]
      : [];
  const words = baselineWords(baseline, axis.sample, first, (id) => markNameOf(document.source.peek(), id));
  const background = untracked(() => backgroundMark(document.source.peek()));
  const channels = new Set(traces.map(({ channel }) => channel)).size;
  return [
    { title: axis.sample, values: numbers },
    ...position,
    ...traces.flatMap((trace) => {
      const less = background === null || trace.mark.id === background.id ? '' : ` − ${markName(background)}`;
      const name = `${traceName(trace, channels)}${less}`;
      const f0 = traceBaseline(trace, traces, baseline);
      const title = `${name} dF/F0 (F0 = ${Number(f0.toPrecision(7))}, ${words})`;
      return [
        { title: name, values: trace.values },
        { title, values: relativeTo(trace.values, f0) },
      ];
    }),
  ];
}
