import './measure.css';
import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { columnsCsv } from '../export/csv.ts';
import { fileName } from '../export/file-name.ts';
import { chooseDestination } from '../export/save.ts';
import { axesRoom } from '../image/paint-axes.ts';
import { themeChanges } from '../image/palette.ts';
import { imageAreaOf } from '../image/pane-state.ts';
import { planeAxes } from '../image/plane-axes.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { paneNote } from '../model/hand-note.ts';
import { formatNumber, formatQuantity } from '../model/number-text.ts';
import { useRegionLabel } from '../model/region-label.ts';
import { Chart } from '../plot/chart.tsx';
import type { ChartState } from '../plot/u-chart.ts';
import { chartAxis, cursorAlong, setCursorAlong, showWhole, visibleSamples, zoomTo } from './chart-link.ts';
import { channelColor, parseRgb } from './color.ts';
import { followVelocity, type VelocityResult, type VelocityState } from './follow-velocity.ts';
import { velocityUnit } from './mark-records.ts';
import { markName } from './marks.ts';
import { useFollow } from './use-follow.ts';
import { goodVelocities, METHOD, medianVelocity, perLine, velocityColumns } from './velocity-values.ts';

const HEIGHT = 96;
/** Lines of a window that can be chosen. */
const WINDOWS = [32, 64, 128, 256, 512, 1024];
/** The first choice is near this duration, which resolves heart beats; lines without calibration. */
const FIRST_SECONDS = 0.05;
const FIRST_LINES = 64;
/** Noise stays below this quality. */
const FIRST_QUALITY = 0.1;

interface VelocityStripProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
}

/** The velocity of cells over time, below the line scan and aligned with it. */
export function VelocityStrip({ document, pane }: VelocityStripProps) {
  const channel = useSignal(-1);
  const lines = useSignal(firstWindow(pane));
  const minQuality = useSignal(FIRST_QUALITY);
  const label = useRegionLabel('Velocity over time');
  const { state } = useFollow(() => followVelocity(pane, { channel, lines }), [pane]);
  const area = imageAreaOf(pane).value;
  if (area === null || !pane.orientation.value.transposed) {
    return <p class="measure-hint">Transpose the image (T) to see the velocity below it.</p>;
  }
  const left = Math.max(area.left, axesRoom().left);
  const { right } = axesRoom();
  const { result, progress } = state.value;
  return (
    <section
      class="measure-strip"
      aria-label={label}
      style={{ marginLeft: `${area.left - left}px`, width: `${left + area.width + right}px` }}
    >
      <div class="measure-line measure-wrap" style={{ paddingLeft: `${left}px` }}>
        <h3>Velocity over time</h3>
        <span class="measure-muted" role="status">
          {progress === null ? summary(result, pane, minQuality.value) : `Computing, ${Math.floor(progress * 100)} %`}
        </span>
        <Controls pane={pane} channel={channel} lines={lines} minQuality={minQuality} />
        <SaveVelocity document={document} pane={pane} result={result} minQuality={minQuality.value} />
      </div>
      <VelocityChart pane={pane} state={state} minQuality={minQuality} left={left} right={right} />
    </section>
  );
}

function firstWindow(pane: Pane): number {
  const { row } = planeAxes(pane);
  const wanted = row.unit === 'seconds' ? FIRST_SECONDS / row.step : FIRST_LINES;
  const distance = (lines: number) => Math.abs(Math.log(lines / wanted));
  return WINDOWS.reduce((best, lines) => (distance(lines) < distance(best) ? lines : best));
}

/** Returns the median, how many windows it is from, and the method. */
function summary(result: VelocityResult | null, pane: Pane, minQuality: number): string {
  if (result === null) return '';
  if (result.starts.length === 0) return 'The region has fewer than two lines.';
  const good = goodVelocities(result, pane, minQuality);
  const count = good.filter(Number.isFinite).length;
  const { row } = planeAxes(pane);
  const duration = row.calibrated ? ` (${formatQuantity(result.lines * row.step, row.unit, 3)})` : '';
  const where = result.mark === null ? '' : ` in ${markName(result.mark)}`;
  const median =
    count === 0 ? 'no window is good enough' : `median ${formatNumber(medianVelocity(good))} ${velocityUnit(pane)}`;
  return `${median}${where} · ${count} of ${result.starts.length} windows · ${METHOD}, ${result.lines} lines${duration}, every ${Math.max(1, Math.floor(result.lines / 2))}`;
}

interface ControlsProps {
  readonly pane: Pane;
  readonly channel: Signal<number>;
  readonly lines: Signal<number>;
  readonly minQuality: Signal<number>;
}

function Controls({ pane, channel, lines, minQuality }: ControlsProps) {
  const loaded = pane.channels.filter(({ data }) => data.value !== null);
  return (
    <span class="measure-buttons">
      {loaded.length > 1 && (
        <label>
          Channel{' '}
          <select
            value={loaded.some(({ index }) => index === channel.value) ? channel.value : loaded[0]!.index}
            onChange={(event) => (channel.value = Number(event.currentTarget.value))}
          >
            {loaded.map(({ index, name }) => (
              <option key={index} value={index}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Window{' '}
        <select value={lines.value} onChange={(event) => (lines.value = Number(event.currentTarget.value))}>
          {WINDOWS.map((count) => (
            <option key={count} value={count}>
              {formatNumber(count)} lines
            </option>
          ))}
        </select>
      </label>
      <label title="Part of the variance that moving stripes explain; windows below it are left blank">
        Min quality{' '}
        <input
          type="number"
          class="measure-quality"
          min={0}
          max={1}
          step={0.05}
          value={minQuality.value}
          onChange={(event) => {
            const value = event.currentTarget.valueAsNumber;
            if (value >= 0 && value <= 1) minQuality.value = value;
          }}
        />
      </label>
    </span>
  );
}

interface VelocityChartProps {
  readonly pane: Pane;
  readonly state: ReadonlySignal<VelocityState>;
  readonly minQuality: ReadonlySignal<number>;
  readonly left: number;
  readonly right: number;
}

function VelocityChart({ pane, state, minQuality, left, right }: VelocityChartProps) {
  const root = useRef<HTMLDivElement>(null);
  const chart = useComputed<ChartState | null>(() => {
    const { result } = state.value;
    const window = visibleSamples(pane, 'x');
    themeChanges.value;
    if (result === null || window === null || result.starts.length === 0) return null;
    const style = root.current ? getComputedStyle(root.current) : null;
    const color = channelColor(result.channel.display.value, parseRgb(style?.backgroundColor ?? ''));
    return {
      curves: [
        {
          label: `Velocity (${velocityUnit(pane)})`,
          color,
          ...perLine(result, goodVelocities(result, pane, minQuality.value)),
          band: null,
        },
        { label: 'Quality', color: style?.color ?? 'gray', ...perLine(result, result.qualities), band: null },
      ],
      axis: chartAxis(pane, 'column'),
      window,
      mode: 'own',
      left,
      right,
    };
  });
  const cursor = useComputed(() => cursorAlong(pane, 'column'));
  return (
    <div ref={root} class="measure-chart measure-muted">
      <Chart
        label={`Velocity over time: ${summary(state.value.result, pane, minQuality.value)}`}
        state={chart}
        height={HEIGHT}
        cursor={cursor}
        onPoint={(line) => setCursorAlong(pane, 'column', line)}
        onZoom={(window) => zoomTo(pane, 'x', window)}
        onReset={() => showWhole(pane)}
      />
    </div>
  );
}

interface SaveVelocityProps extends VelocityStripProps {
  readonly result: VelocityResult | null;
  readonly minQuality: number;
}

function SaveVelocity({ document, pane, result, minQuality }: SaveVelocityProps) {
  const failed = useSignal('');
  const save = async () => {
    if (result === null) return;
    failed.value = '';
    const { name } = document.info.peek().source;
    try {
      const channel = result.channel.index;
      const destination = await chooseDestination(fileName(name, { kind: pane.kind, channel }, 'velocity.csv'));
      const text = columnsCsv(velocityColumns(result, pane, minQuality), paneNote(document, pane));
      await destination?.write(new Blob([text], { type: 'text/csv' }));
    } catch (error) {
      failed.value = `Not saved: ${(error as Error).message}`;
    }
  };
  return (
    <>
      <span role="status" class="measure-failed">
        {failed}
      </span>
      <button type="button" class="quiet" disabled={result === null} onClick={() => void save()}>
        Save velocities
      </button>
    </>
  );
}
