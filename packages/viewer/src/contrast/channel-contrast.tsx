import { type ReadonlySignal, signal } from '@preact/signals';
import { useId, useMemo } from 'preact/hooks';
import { Icon } from '../icons/icon.tsx';
import type { ChannelStats } from '../model/display.ts';
import { isLoaded } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import { type ContrastTarget, change, isSolo, solo } from './adjust.ts';
import { Buttons, Ends, Gamma, Opacity, Scale } from './controls.tsx';
import { Histogram } from './histogram.tsx';
import { type AddedLuts, LutDot, Table } from './lut-choice.tsx';
import { Statistics } from './statistics.tsx';
import { around, firstSpan, fullSpan, keyStep, type ValueSpan } from './value-axis.ts';

interface ChannelContrastProps {
  readonly target: ContrastTarget;
  readonly log: ReadonlySignal<boolean>;
  readonly luts: AddedLuts;
  readonly open: boolean;
  /** Opens or closes the whole panel of the channel. */
  toggle(): void;
}

/** One channel: a row with its histogram, or the whole panel when it is open. */
export function ChannelContrast({ target, log, luts, open, toggle }: ChannelContrastProps) {
  const { channel } = target;
  const title = useId();
  const body = useId();
  return (
    <section class="contrast-channel" aria-labelledby={title}>
      <div class="contrast-head">
        <Visible target={target} />
        <LutDot channel={channel} luts={luts} choice={!open} />
        <h3 id={title}>{channel.name}</h3>
        <Solo target={target} />
        <button
          type="button"
          class="quiet icon contrast-small"
          aria-expanded={open}
          aria-controls={body}
          aria-label={`Contrast of ${channel.name}`}
          title={open ? 'Show less' : 'All settings of this channel'}
          onClick={toggle}
        >
          <Icon name={open ? 'down' : 'right'} />
        </button>
      </div>
      <div id={body}>{open ? <Body target={target} log={log} luts={luts} /> : <Row target={target} log={log} />}</div>
    </section>
  );
}

const EYE =
  'M1.500 8s2.500-4.500 6.500-4.500S14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 6a2 2 0 1 0 0 4a2 2 0 0 0 0-4z';

/** A single channel has no switch, so that it is not hidden by accident; it has one when a link has hidden it. */
function Visible({ target: { pane, channel } }: { readonly target: ContrastTarget }) {
  if (pane.channels.length === 1 && channel.display.value.visible) return null;
  return <Eye pane={pane} channel={channel} />;
}

/** Shows or hides a channel. */
export function Eye({ pane, channel }: Pick<ContrastTarget, 'pane' | 'channel'>) {
  const { visible } = channel.display.value;
  const several = pane.channels.length > 1;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button Solo does the same by keyboard
    <label
      class="contrast-eye"
      title={several ? 'Show or hide; Alt + click: show only this channel' : 'Show'}
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
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={visible ? EYE : `${EYE}M2.500 2.500l11 11`} />
      </svg>
    </label>
  );
}

function Solo({ target: { pane, channel } }: { readonly target: ContrastTarget }) {
  if (pane.channels.length < 2) return null;
  return (
    <button
      type="button"
      class="quiet contrast-small"
      aria-pressed={isSolo(pane, channel)}
      aria-label={`Solo: ${channel.name}`}
      onClick={() => solo(pane, channel)}
    >
      Solo
    </button>
  );
}

function Row({ target, log }: { readonly target: ContrastTarget; readonly log: ReadonlySignal<boolean> }) {
  const stats = target.channel.stats.value;
  const span = useMemo(() => signal(stats ? firstSpan(stats) : { from: 0, to: 1 }), [stats]);
  if (!stats || stats.count === 0) return <NoHistogram target={target} stats={stats} compact={true} />;
  return <Histogram key={stats} target={target} stats={stats} span={span} log={log} compact={true} />;
}

function Body({ target, log, luts }: Pick<ChannelContrastProps, 'target' | 'log' | 'luts'>) {
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
        <Buttons target={target} />
      </div>
      <StackNote channel={channel} />
      <Table channel={channel} luts={luts} />
      <Scale target={target} />
      <Gamma target={target} />
      {pane.composite.value && <Opacity target={target} />}
      {stats && <Statistics channel={channel} stats={stats} />}
    </>
  );
}

/** Says which planes auto contrast is made for. */
function StackNote({ channel }: Pick<ContrastTarget, 'channel'>) {
  const range = channel.stackRange.value;
  if (range === null) return null;
  const { counted, planes } = range;
  const which =
    counted < planes ? `${formatNumber(counted)} of ${formatNumber(planes)}` : `all ${formatNumber(planes)}`;
  return <p class="app-muted">Auto is for {which} planes.</p>;
}

interface NoHistogramProps {
  readonly target: ContrastTarget;
  readonly stats: ChannelStats | null;
  readonly compact?: boolean;
}

function NoHistogram({ target: { channel }, stats, compact = false }: NoHistogramProps) {
  const { state } = channel.load.value;
  const text = stats
    ? 'The channel has no finite samples.'
    : state === 'failed'
      ? 'The samples could not be loaded.'
      : isLoaded(channel)
        ? 'Counting all samples…'
        : 'Waiting for the samples…';
  return <p class={`contrast-plot contrast-none${compact ? ' contrast-compact' : ''}`}>{text}</p>;
}

interface AxisProps {
  readonly target: ContrastTarget;
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
