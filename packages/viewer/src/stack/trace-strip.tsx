import './stack.css';
import { useComputed } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { columnsCsv } from '../export/csv.ts';
import { themeChanges } from '../image/palette.ts';
import { BackgroundChoice } from '../measure/background-choice.tsx';
import { BaselineChoice } from '../measure/baseline-choice.tsx';
import { cursorAlong } from '../measure/chart-link.ts';
import { parseRgb } from '../measure/color.ts';
import { backgroundMark, markName } from '../measure/marks.ts';
import { SaveCsv } from '../measure/save-csv.tsx';
import { useFollow } from '../measure/use-follow.ts';
import type { AcquisitionDocument } from '../model/document.ts';
import { handNote } from '../model/hand-note.ts';
import { formatNumber } from '../model/number-text.ts';
import { useRegionLabel } from '../model/region-label.ts';
import { Chart } from '../plot/chart.tsx';
import type { ChartState } from '../plot/chart-data.ts';
import { MAX_LANES } from '../plot/lanes.ts';
import { subtractBackground } from './background.ts';
import type { Stack } from './stack.ts';
import { chartState } from './trace-chart.ts';
import { TraceLanes } from './trace-lanes.tsx';
import { traceColumns } from './trace-table.ts';
import {
  followTraces,
  type Trace,
  type TraceAxis,
  type TraceSettings,
  type Traces,
  traceAxis,
  traceBaseline,
  traceDirection,
} from './traces.ts';

/** Height of the plot, CSS pixels. */
const HEIGHT = 120;

interface TraceStripProps {
  readonly document: AcquisitionDocument;
  readonly stack: Stack;
  readonly settings: TraceSettings;
  /** True beside a picture, where the plot takes the whole height. */
  readonly fills: boolean;
}

/** The means of all regions over the time points, or over the lines of a line scan. */
export function TraceStrip(props: TraceStripProps) {
  const { document, settings } = props;
  const { shown } = settings;
  const along = useComputed(() => traceDirection(document));
  if (!shown.value || along.value === null) return null;
  return <Strip key={along.value} {...props} />;
}

function Strip({ document, stack, settings, fills }: TraceStripProps) {
  const { busy, isLive } = stack.traceReading;
  const { traces, failure } = useFollow(
    () => followTraces(document, stack.wanted, stack.traceReading),
    [document, stack],
  );
  const label = useRegionLabel('Traces of the regions');
  const root = useRef<HTMLElement>(null);
  const direction = traceDirection(document);
  const axis = direction === null ? null : traceAxis(document, direction);
  const state = useComputed<ChartState | null>(() => {
    themeChanges.value;
    if (traces.value === null) return null;
    const { baseline: chosen, background } = document.source.value;
    const now = subtractBackground(traces.value, background.value);
    const baseline = chosen.value;
    const f0 = settings.relative.value ? (trace: Trace) => traceBaseline(trace, now.traces, baseline) : null;
    const ground = parseRgb(root.current ? getComputedStyle(root.current).backgroundColor : '');
    return chartState(traceAxis(document, now.along), now.traces, f0, ground);
  });
  const cursor = useComputed(() => {
    const along = traces.value?.along;
    if (along === undefined) return null;
    return along === 'Y' ? cursorAlong(document.source.value, 'column') : stack.wanted.value[along] + 0.5;
  });
  if (axis === null) return null;
  const count = traces.value?.traces.length ?? 0;
  const regions = countRegions(traces.value);
  const inLanes = regions > 1 && regions <= MAX_LANES && !settings.overlaid.value;
  const background = backgroundMark(document.source.value);
  const less = background === null ? '' : ` − ${markName(background)}`;
  return (
    <section ref={root} class={`stack-traces${fills ? ' stack-traces-fill' : ''}`} aria-label={label}>
      <div class="stack-trace-bar">
        <h3>{`Mean of the regions${less} over ${formatNumber(axis.size)} ${axis.sample}s`}</h3>
        {regions > 1 && <OverlaySwitch settings={settings} regions={regions} />}
        <Choices document={document} settings={settings} axis={axis} />
        <SaveTraces document={document} traces={traces} />
      </div>
      <p role="status" class="stack-trace-state">
        {failure.value !== ''
          ? failure.value
          : busy.value && !(isLive.value && count > 0)
            ? `Reading ${formatNumber(axis.size)} ${axis.sample}s…`
            : ''}
      </p>
      {count === 0 && !busy.value && failure.value === '' && (
        <p class="stack-muted">Draw a region on the image (R) to see its mean. Each region gets a curve.</p>
      )}
      <div class="stack-traces-room">
        {inLanes && (
          <TraceLanes
            pane={document.source.value}
            state={state}
            cursor={cursor}
            fills={fills}
            over={`the ${axis.sample}s`}
          />
        )}
        {count > 0 && !inLanes && (
          <Chart
            label={`Traces of the regions over the ${axis.sample}s`}
            state={state}
            hidden={document.source.value.hiddenCurves}
            height={HEIGHT}
            fills={fills}
            cursor={cursor}
          />
        )}
      </div>
    </section>
  );
}

function countRegions(traces: Traces | null): number {
  return new Set(traces?.traces.map(({ mark }) => mark.id)).size;
}

/** One chart for all regions, or a lane for each. */
function OverlaySwitch({ settings, regions }: { readonly settings: TraceSettings; readonly regions: number }) {
  const { overlaid } = settings;
  const tooMany = regions > MAX_LANES;
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={overlaid.value || tooMany}
      disabled={tooMany}
      title={tooMany ? `More than ${MAX_LANES} regions share one chart` : 'Draw all regions in one chart'}
      onClick={() => (overlaid.value = !overlaid.value)}
    >
      Overlay
    </button>
  );
}

/** F or ΔF/F₀, and the baseline, which is that of the table of marks. */
function Choices({ document, settings, axis }: ChoicesProps) {
  const { relative } = settings;
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
      <BackgroundChoice pane={document.source.value} />
      {relative.value && <BaselineChoice pane={document.source.value} axis={axis} />}
    </>
  );
}

interface ChoicesProps {
  readonly document: AcquisitionDocument;
  readonly settings: TraceSettings;
  readonly axis: TraceAxis;
}

type SaveProps = Pick<TraceStripProps, 'document'> & {
  readonly traces: ReturnType<typeof followTraces>['traces'];
};

function SaveTraces({ document, traces }: SaveProps) {
  const now = traces.value;
  const pane = document.source.value;
  const text = (whole: Traces) => {
    const less = subtractBackground(whole, pane.background.peek());
    const note = whole.along === 'Y' ? handNote(document.calibration.peek()) : null;
    return columnsCsv(traceColumns(document, less, pane.baseline.peek()), note);
  };
  return <SaveCsv document={document} pane={pane} ending="traces.csv" text={now && (() => text(now))} />;
}
