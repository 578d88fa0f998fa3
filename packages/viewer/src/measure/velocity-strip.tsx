import './measure.css';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { QUALITY_LIMIT } from '../analysis/velocity.ts';
import { columnsCsv } from '../export/csv.ts';
import { axesRoom } from '../image/paint-axes.ts';
import { imageAreaOf } from '../image/pane-state.ts';
import { planeAxes } from '../image/plane-axes.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { paneNote } from '../model/hand-note.ts';
import { formatNumber } from '../model/number-text.ts';
import { useRegionLabel } from '../model/region-label.ts';
import { followVelocity, type VelocityResult } from './follow-velocity.ts';
import { SaveCsv } from './save-csv.tsx';
import { useFollow } from './use-follow.ts';
import { VelocityChart } from './velocity-chart.tsx';
import { velocityColumns } from './velocity-values.ts';
import { isRefused, methodWords, refusal, summary } from './velocity-words.ts';

const HEIGHT = 78;
/** Lines of a window that can be chosen. */
const WINDOWS = [32, 64, 128, 256, 512, 1024];
/** The first choice is near this duration, which resolves heart beats; lines without calibration. */
const FIRST_SECONDS = 0.05;
const FIRST_LINES = 64;

interface VelocityStripProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
}

/** The velocity of cells over time, below the line scan and aligned with it. */
export function VelocityStrip({ document, pane }: VelocityStripProps) {
  const channel = useSignal<number | null>(null);
  const lines = useSignal(firstWindow(pane));
  const minQuality = useSignal(QUALITY_LIMIT);
  const label = useRegionLabel('Velocity over time');
  const { state } = useFollow(() => followVelocity(pane, { channel, lines }), [pane]);
  const area = imageAreaOf(pane).value;
  if (area === null || !pane.orientation.value.transposed) {
    return <p class="measure-hint">Transpose the image (T) to see the velocity below it.</p>;
  }
  const left = Math.max(area.left, axesRoom().left);
  const { right } = axesRoom();
  const { result, progress } = state.value;
  const refused = result !== null && result.starts.length > 0 && isRefused(result, minQuality.value);
  const said =
    progress === null ? summary(result, pane, minQuality.value) : `Computing, ${Math.floor(progress * 100)} %`;
  const heading = (legend: ComponentChildren) => (
    <div class="measure-line measure-heading" style={{ padding: `0 ${right}px 0 ${left}px` }}>
      <h3 title={methodWords(lines.value, pane)}>Velocity</h3>
      <span class="measure-muted measure-summary" role="status" title={said}>
        {said}
      </span>
      {legend}
      <Controls pane={pane} result={result} channel={channel} lines={lines} minQuality={minQuality} />
      {!refused && (
        <SaveCsv
          document={document}
          pane={pane}
          channel={result?.channel.index ?? null}
          ending="velocity.csv"
          label="Save velocities"
          text={
            result && (() => columnsCsv(velocityColumns(result, pane, minQuality.peek()), paneNote(document, pane)))
          }
        />
      )}
    </div>
  );
  return (
    <section
      class="measure-strip"
      aria-label={label}
      style={{ marginLeft: `${area.left - left}px`, width: `${left + area.width + right}px` }}
    >
      {refused && result !== null ? (
        <>
          {heading(null)}
          <Refusal result={result} minQuality={minQuality.value} channel={channel} />
        </>
      ) : (
        <VelocityChart {...{ pane, state, minQuality, left, right, heading }} height={HEIGHT} />
      )}
    </section>
  );
}

function firstWindow(pane: Pane): number {
  const { row } = planeAxes(pane);
  const wanted = row.unit === 'seconds' ? FIRST_SECONDS / row.step : FIRST_LINES;
  const distance = (lines: number) => Math.abs(Math.log(lines / wanted));
  return WINDOWS.reduce((best, lines) => (distance(lines) < distance(best) ? lines : best));
}

interface RefusalProps {
  readonly result: VelocityResult;
  readonly minQuality: number;
  readonly channel: Signal<number | null>;
}

/** Why there is no velocity, as high as the chart would be, so that nothing moves. */
function Refusal({ result, minQuality, channel }: RefusalProps) {
  const { text, better } = refusal(result, minQuality);
  return (
    <div class="measure-refusal" style={{ height: `${HEIGHT}px` }}>
      <p>{text}</p>
      {better !== null && (
        <button type="button" onClick={() => (channel.value = better.channel.index)}>
          Use {better.channel.name}
        </button>
      )}
    </div>
  );
}

interface ControlsProps {
  readonly pane: Pane;
  readonly result: VelocityResult | null;
  readonly channel: Signal<number | null>;
  readonly lines: Signal<number>;
  readonly minQuality: Signal<number>;
}

function Controls({ pane, result, channel, lines, minQuality }: ControlsProps) {
  const loaded = pane.channels.filter(({ data }) => data.value !== null);
  return (
    <span class="measure-buttons">
      {loaded.length > 1 && (
        <label>
          Channel{' '}
          <select
            value={channel.value ?? result?.channel.index ?? loaded[0]!.index}
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
      <label title="From 0 for noise to 1 for clear bands. Windows below it are rings, and do not count">
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
