/** Traces as columns of a table. */
import type { AcquisitionDocument } from '../model/document.ts';
import { type Baseline, baselineOf, relativeTo } from './baseline.ts';
import { type Trace, type Traces, traceAxis } from './traces.ts';

interface Column {
  readonly title: string;
  readonly values: ArrayLike<number>;
}

const SYMBOLS: Readonly<Record<string, string>> = { seconds: 's', micrometer: 'um' };

/** Returns the name of a trace: `Region 2 · Calcium`; without the channel when there is only one. */
export function traceName({ mark, channel }: Trace, channels: number): string {
  const name = mark.name ?? `Region ${mark.id}`;
  return channels > 1 ? `${name} · ${channel.name}` : name;
}

/**
 * Returns the number of each value (time points and sections count from 1, lines from 0, as on screen), its position,
 * and each trace, followed by ΔF/F₀ with its baseline in the title.
 */
export function traceColumns(document: AcquisitionDocument, { along, traces }: Traces, baseline: Baseline): Column[] {
  const axis = traceAxis(document, along);
  const first = along === 'Y' ? 0 : 1;
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
  const channels = new Set(traces.map(({ channel }) => channel)).size;
  return [
    { title: axis.sample, values: numbers },
    ...position,
    ...traces.flatMap((trace) => {
      const name = traceName(trace, channels);
      const f0 = baselineOf(trace.values, baseline);
      const title = `${name} dF/F0 (F0 = ${Number(f0.toPrecision(7))}, ${baselineText(baseline, first)})`;
      return [
        { title: name, values: trace.values },
        { title, values: relativeTo(trace.values, f0) },
      ];
    }),
  ];
}

function baselineText(baseline: Baseline, first: number): string {
  if (baseline.kind === 'percentile') return `percentile ${baseline.percent}`;
  return `mean of ${baseline.from + first} to ${baseline.to - 1 + first}`;
}
