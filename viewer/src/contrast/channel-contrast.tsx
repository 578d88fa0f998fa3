import { type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import type { ChannelStats } from '../model/display.ts';
import { change, isSolo, type Reach, solo } from './adjust.ts';
import { Buttons, Ends, Gamma, Opacity, Table } from './controls.tsx';
import { Facts } from './facts.tsx';
import { Histogram } from './histogram.tsx';
import { LutStrip } from './lut-strip.tsx';
import { factText } from './number-text.ts';
import { around, firstSpan, fullSpan, keyStep, type ValueSpan } from './value-axis.ts';

interface Props {
  readonly reach: Reach;
  readonly log: ReadonlySignal<boolean>;
  readonly startsOpen: boolean;
}

/** How one channel is shown. */
export function ChannelContrast({ reach, log, startsOpen }: Props) {
  const { channel } = reach;
  const open = useSignal(startsOpen);
  const title = useId();
  const body = useId();
  return (
    <section class="contrast-channel" aria-labelledby={title}>
      <div class="contrast-head">
        <button
          type="button"
          class="quiet icon"
          aria-expanded={open.value}
          aria-controls={body}
          aria-label={`Contrast of ${channel.name}`}
          onClick={() => {
            open.value = !open.value;
          }}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d={open.value ? 'M4 6l4 4 4-4' : 'M6 4l4 4-4 4'} />
          </svg>
        </button>
        <Visible reach={reach} titleId={title} folded={!open.value} />
      </div>
      <div id={body} hidden={!open.value}>
        {open.value && <Body reach={reach} log={log} />}
      </div>
    </section>
  );
}

interface VisibleProps {
  readonly reach: Reach;
  readonly titleId: string;
  readonly folded: boolean;
}

function Visible({ reach: { pane, channel }, titleId, folded }: VisibleProps) {
  const { visible, lut, invert } = channel.display.value;
  const several = pane.channels.length > 1;
  const title = <h3 id={titleId}>{channel.name}</h3>;
  // The only channel is not to be hidden by a slip; a link may have done it.
  if (!several && visible) return <div class="contrast-name">{title}</div>;
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button beside it does the same by keys */}
      <label
        class="contrast-name"
        title={several ? 'Alt + click: show this channel alone' : undefined}
        onClick={(event) => {
          if (!event.altKey) return;
          event.preventDefault();
          solo(pane, channel);
        }}
      >
        <input
          type="checkbox"
          checked={visible}
          aria-label={`Show ${channel.name}`}
          onChange={(event) => change(channel, { visible: event.currentTarget.checked })}
        />
        {title}
      </label>
      {folded && <LutStrip lut={lut} invert={invert} />}
      {several && (
        <button
          type="button"
          class="quiet contrast-small"
          aria-pressed={isSolo(pane, channel)}
          aria-label={`Solo: ${channel.name}`}
          onClick={() => solo(pane, channel)}
        >
          Solo
        </button>
      )}
    </>
  );
}

function Body({ reach, log }: { readonly reach: Reach; readonly log: ReadonlySignal<boolean> }) {
  const { pane, channel } = reach;
  const stats = channel.stats.value;
  const span = useMemo(() => signal(stats ? firstSpan(stats) : { from: 0, to: 1 }), [stats]);
  return (
    <>
      {stats && stats.count > 0 ? (
        <>
          <Histogram key={stats} reach={reach} stats={stats} span={span} log={log} />
          <AxisEnds reach={reach} stats={stats} span={span} />
        </>
      ) : (
        <NoCounts reach={reach} stats={stats} />
      )}
      <Ends reach={reach} step={stats && stats.count > 0 ? keyStep(span.value, stats) : 1} />
      <div class="contrast-row">
        <Buttons reach={reach} counted={stats !== null && stats.count > 0} />
      </div>
      <Table reach={reach} />
      <Gamma reach={reach} />
      {pane.composite.value && <Opacity reach={reach} />}
      {stats && <Facts channel={channel} stats={stats} />}
    </>
  );
}

function NoCounts({ reach: { channel }, stats }: { readonly reach: Reach; readonly stats: ChannelStats | null }) {
  const { state } = channel.load.value;
  const text = stats
    ? 'No sample is a number.'
    : state === 'failed'
      ? 'The samples could not be read.'
      : channel.data.value
        ? 'Counting all samples …'
        : 'Waiting for the samples …';
  return <p class="contrast-plot contrast-none">{text}</p>;
}

interface AxisProps {
  readonly reach: Reach;
  readonly stats: ChannelStats;
  readonly span: { value: ValueSpan };
}

function AxisEnds({ reach: { channel }, stats, span }: AxisProps) {
  const { from, to } = span.value;
  const full = fullSpan(stats);
  return (
    <div class="contrast-axis">
      <span>{factText(stats.integer ? Math.ceil(from) : from)}</span>
      <button
        type="button"
        class="quiet contrast-small"
        aria-label={`Zoom to range: ${channel.name}`}
        onClick={() => {
          span.value = around(channel.display.value, 0.15, full);
        }}
      >
        Zoom to range
      </button>
      <button
        type="button"
        class="quiet contrast-small"
        disabled={from <= full.from && to >= full.to}
        aria-label={`Whole histogram: ${channel.name}`}
        onClick={() => {
          span.value = full;
        }}
      >
        Whole
      </button>
      <span>{factText(stats.integer ? Math.floor(to) : to)}</span>
    </div>
  );
}
