import './stack.css';
import { useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { columnsCsv } from '../export/csv.ts';
import { fileName } from '../export/file-name.ts';
import { chooseDestination } from '../export/save.ts';
import { axesRoom } from '../image/paint-axes.ts';
import { themeChanges } from '../image/palette.ts';
import { parseRgb, type Rgb, readableOn } from '../measure/color.ts';
import { useFollow } from '../measure/use-follow.ts';
import type { AcquisitionDocument } from '../model/document.ts';
import { handNote } from '../model/hand-note.ts';
import { formatNumber } from '../model/number-text.ts';
import { useRegionLabel } from '../model/region-label.ts';
import { scaleFor } from '../model/units.ts';
import { Chart } from '../plot/chart.tsx';
import type { ChartState } from '../plot/chart-data.ts';
import { baselineOf, relativeTo } from './baseline.ts';
import type { Stack } from './stack.ts';
import { traceColumns, traceName } from './trace-table.ts';
import { followTraces, type Trace, type TraceAxis, type TraceSettings, traceAxis, traceDirection } from './traces.ts';

/** Height of the plot, CSS pixels. */
const HEIGHT = 120;

/** Colors of neighboring traces, also for people who do not tell red from green (Okabe and Ito). */
const COLORS: readonly Rgb[] = [
  [0, 114, 178],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [213, 94, 0],
  [86, 180, 233],
];

interface TraceStripProps {
  readonly document: AcquisitionDocument;
  readonly stack: Stack;
}

/** The means of all regions over the time points, or over the lines of a line scan. */
export function TraceStrip(props: TraceStripProps) {
  const { document, stack } = props;
  const { shown } = stack.traceSettings;
  const along = useComputed(() => traceDirection(document));
  if (!shown.value || along.value === null) return null;
  return <Strip key={along.value} {...props} />;
}

function Strip({ document, stack }: TraceStripProps) {
  const { traces, busy, failure } = useFollow(() => followTraces(document, stack.wanted), [document, stack]);
  const label = useRegionLabel('Traces of the regions');
  const settings = stack.traceSettings;
  const root = useRef<HTMLElement>(null);
  const direction = traceDirection(document);
  const axis = direction === null ? null : traceAxis(document, direction);
  const state = useComputed<ChartState | null>(() => {
    themeChanges.value;
    const now = traces.value;
    if (now === null) return null;
    const ground = parseRgb(root.current ? getComputedStyle(root.current).backgroundColor : '');
    return chartState(traceAxis(document, now.along), now.traces, settings, ground);
  });
  const cursor = useComputed(() => {
    const along = traces.value?.along;
    if (along === undefined) return null;
    return along === 'Y' ? (document.source.value.cursor.value?.row ?? null) : stack.wanted.value[along] + 0.5;
  });
  if (axis === null) return null;
  const count = traces.value?.traces.length ?? 0;
  return (
    <section ref={root} class="stack-traces" aria-label={label}>
      <div class="stack-trace-bar">
        <h3>{`Mean of the regions over ${formatNumber(axis.size)} ${axis.sample}s`}</h3>
        <Choices settings={settings} axis={axis} />
        <SaveTraces document={document} traces={traces} settings={settings} />
      </div>
      <p role="status" class="stack-trace-state">
        {failure.value !== '' ? failure.value : busy.value ? `Reading ${formatNumber(axis.size)} ${axis.sample}s…` : ''}
      </p>
      {count === 0 && !busy.value && failure.value === '' && (
        <p class="stack-muted">Draw a region on the image (R) to see its mean. Each region gets a curve.</p>
      )}
      {count > 0 && (
        <Chart label={`Traces of the regions over the ${axis.sample}s`} state={state} height={HEIGHT} cursor={cursor} />
      )}
    </section>
  );
}

function chartState(
  axis: TraceAxis,
  traces: readonly Trace[],
  { relative, baseline }: TraceSettings,
  ground: Rgb,
): ChartState {
  const channels = new Set(traces.map(({ channel }) => channel)).size;
  const room = axesRoom();
  return {
    curves: traces.map((trace, i) => {
      const [red, green, blue] = readableOn(COLORS[i % COLORS.length]!, ground).map(Math.round);
      const { values } = trace;
      return {
        label: `${traceName(trace, channels)}${relative.value ? ' ΔF/F₀' : ''}`,
        color: `rgb(${red} ${green} ${blue})`,
        first: 0,
        values: relative.value ? relativeTo(values, baselineOf(values, baseline.value)) : values,
        band: null,
      };
    }),
    axis: {
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
    },
    window: { from: 0, to: axis.size },
    mode: 'shared',
    left: room.left,
    right: Math.max(12, room.right),
  };
}

/** F or ΔF/F₀, and the baseline. */
function Choices({ settings, axis }: { readonly settings: TraceSettings; readonly axis: TraceAxis }) {
  const { relative, baseline } = settings;
  const now = baseline.value;
  const field = (label: string, value: number, min: number, max: number, set: (value: number) => void) => (
    <input
      type="number"
      aria-label={label}
      min={min}
      max={max}
      value={value}
      onChange={(event) => {
        const next = event.currentTarget.valueAsNumber;
        if (Number.isFinite(next)) set(Math.min(max, Math.max(min, next)));
      }}
    />
  );
  return (
    <>
      <label>
        <input
          type="checkbox"
          name="relative"
          checked={relative}
          onChange={(event) => (relative.value = event.currentTarget.checked)}
        />{' '}
        ΔF/F₀
      </label>
      {relative.value && (
        <span class="stack-baseline">
          <label>
            <span>Baseline</span>{' '}
            <select
              name="baseline"
              value={now.kind}
              onChange={(event) => {
                const byRange = event.currentTarget.value === 'range';
                baseline.value = byRange
                  ? { kind: 'range', from: 0, to: Math.min(5, axis.size) }
                  : { kind: 'percentile', percent: 10 };
              }}
            >
              <option value="range">{`Mean of ${axis.sample}s`}</option>
              <option value="percentile">Percentile</option>
            </select>
          </label>
          {now.kind === 'percentile' &&
            field('Percentile of the baseline', now.percent, 0, 100, (percent) => {
              baseline.value = { kind: 'percentile', percent };
            })}
          {now.kind === 'range' && (
            <>
              {field(`First ${axis.sample} of the baseline`, now.from + 1, 1, axis.size, (from) => {
                baseline.value = { kind: 'range', from: from - 1, to: Math.max(from, now.to) };
              })}
              <span>to</span>
              {field(`Last ${axis.sample} of the baseline`, Math.min(axis.size, now.to), 1, axis.size, (to) => {
                baseline.value = { kind: 'range', from: Math.min(now.from, to - 1), to };
              })}
            </>
          )}
        </span>
      )}
    </>
  );
}

type SaveProps = Pick<TraceStripProps, 'document'> & {
  readonly traces: ReturnType<typeof followTraces>['traces'];
  readonly settings: TraceSettings;
};

function SaveTraces({ document, traces, settings }: SaveProps) {
  const failed = useSignal('');
  const save = async () => {
    const now = traces.peek();
    if (now === null) return;
    failed.value = '';
    const { name } = document.info.peek().source;
    const note = now.along === 'Y' ? handNote(document.calibration.peek()) : null;
    try {
      const destination = await chooseDestination(fileName(name, { kind: 'source', channel: null }, 'traces.csv'));
      const text = columnsCsv(traceColumns(document, now, settings.baseline.peek()), note);
      await destination?.write(new Blob([text], { type: 'text/csv' }));
    } catch (error) {
      failed.value = `Not saved: ${(error as Error).message}`;
    }
  };
  return (
    <>
      <span role="status" class="stack-failure">
        {failed}
      </span>
      <button type="button" class="quiet" disabled={traces.value === null} onClick={save}>
        Save CSV
      </button>
    </>
  );
}
