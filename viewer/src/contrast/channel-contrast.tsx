import { type ReadonlySignal, signal, useSignal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import type { ChannelStats } from '../model/display.ts';
import { formatNumber } from '../model/number-text.ts';
import { change, isSolo, solo, type Target } from './adjust.ts';
import { Buttons, Ends, Gamma, Opacity, Scale, Table } from './controls.tsx';
import { Histogram } from './histogram.tsx';
import { LutStrip } from './lut-strip.tsx';
import { Statistics } from './statistics.tsx';
import { around, firstSpan, fullSpan, keyStep, type ValueSpan } from './value-axis.ts';

interface Props {
  readonly target: Target;
  readonly log: ReadonlySignal<boolean>;
  readonly startsOpen: boolean;
}

/** Display settings of one channel. */
export function ChannelContrast({ target, log, startsOpen }: Props) {
  const { channel } = target;
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
        <Visible target={target} titleId={title} collapsed={!open.value} />
      </div>
      <div id={body} hidden={!open.value}>
        {open.value && <Body target={target} log={log} />}
      </div>
    </section>
  );
}

interface VisibleProps {
  readonly target: Target;
  readonly titleId: string;
  readonly collapsed: boolean;
}

function Visible({ target: { pane, channel }, titleId, collapsed }: VisibleProps) {
  const { visible, lut, invert } = channel.display.value;
  const several = pane.channels.length > 1;
  const title = <h3 id={titleId}>{channel.name}</h3>;
  // A single channel has no checkbox, so that it is not hidden by accident; it has one when a link has hidden it.
  if (!several && visible) return <div class="contrast-name">{title}</div>;
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the button next to it does the same by keyboard */}
      <label
        class="contrast-name"
        title={several ? 'Alt + click: show only this channel' : undefined}
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
      {collapsed && <LutStrip lut={lut} invert={invert} />}
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

function Body({ target, log }: { readonly target: Target; readonly log: ReadonlySignal<boolean> }) {
  const { pane, channel } = target;
  const stats = channel.stats.value;
  const span = useMemo(() => signal(stats ? firstSpan(stats) : { from: 0, to: 1 }), [stats]);
  return (
    <>
      {stats && stats.count > 0 ? (
        <>
          <Histogram key={stats} target={target} stats={stats} span={span} log={log} />
          <AxisEnds target={target} stats={stats} span={span} />
        </>
      ) : (
        <NoHistogram target={target} stats={stats} />
      )}
      <Ends target={target} step={stats && stats.count > 0 ? keyStep(span.value, stats) : 1} />
      <div class="contrast-row">
        <Buttons target={target} counted={stats !== null && stats.count > 0} />
      </div>
      <Table target={target} />
      <Scale target={target} />
      <Gamma target={target} />
      {pane.composite.value && <Opacity target={target} />}
      {stats && <Statistics channel={channel} stats={stats} />}
    </>
  );
}

function NoHistogram({ target: { channel }, stats }: { readonly target: Target; readonly stats: ChannelStats | null }) {
  const { state } = channel.load.value;
  const text = stats
    ? 'The channel has no finite samples.'
    : state === 'failed'
      ? 'The samples could not be loaded.'
      : channel.data.value
        ? 'Counting all samples…'
        : 'Waiting for the samples…';
  return <p class="contrast-plot contrast-none">{text}</p>;
}

interface AxisProps {
  readonly target: Target;
  readonly stats: ChannelStats;
  readonly span: { value: ValueSpan };
}

function AxisEnds({ target: { channel }, stats, span }: AxisProps) {
  const { from, to } = span.value;
  const full = fullSpan(stats);
  return (
    <div class="contrast-axis">
      <span>{formatNumber(stats.integer ? Math.ceil(from) : from)}</span>
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
        aria-label={`Show all values: ${channel.name}`}
        onClick={() => {
          span.value = full;
        }}
      >
        Show all
      </button>
      <span>{formatNumber(stats.integer ? Math.floor(to) : to)}</span>
    </div>
  );
}
