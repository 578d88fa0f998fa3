import type { ReadonlySignal, Signal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import type { ChannelStats } from '../model/display.ts';
import type { Size } from '../model/geometry.ts';
import { formatNumber } from '../model/number-text.ts';
import { type ContrastTarget, setAuto, setRange } from './adjust.ts';
import type { HandleDrag } from './handle-drag.ts';
import { toX } from './plot.ts';
import { fullSpan, keyStep, minSpan, type ValueSpan, zoomSpan } from './value-axis.ts';

interface HandleProps {
  readonly end: 'min' | 'max';
  readonly target: ContrastTarget;
  readonly stats: ChannelStats;
  readonly span: Signal<ValueSpan>;
  readonly size: ReadonlySignal<Size>;
  readonly drag: HandleDrag;
}

/** One end of the range: a line in the histogram and a slider for keys and screen readers. */
export function Handle({ end, target, stats, span, size, drag }: HandleProps) {
  const { channel } = target;
  const { min, max } = channel.display.value;
  const value = end === 'min' ? min : max;
  const x = toX(value, span.value, size.value);
  const { width } = size.value;
  const outside = x < 0 || x > width;
  return (
    <div
      class={`contrast-handle${outside ? ' contrast-away' : ''}`}
      data-end={end}
      role="slider"
      tabIndex={0}
      aria-label={`${end === 'min' ? 'Minimum' : 'Maximum'} of ${channel.name}`}
      aria-orientation="horizontal"
      aria-valuemin={Math.min(stats.min, value)}
      aria-valuemax={Math.max(stats.max, value)}
      aria-valuenow={value}
      aria-valuetext={formatNumber(value)}
      style={{ left: `${Math.min(width, Math.max(0, x))}px` }}
      onKeyDown={(event) => onKey(event, { end, target, stats, span, size, drag })}
    />
  );
}

const ZOOMS: Readonly<Record<string, number>> = { '+': 1.5, '=': 1.5, '-': 1 / 1.5, '\u2212': 1 / 1.5 };
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
};

function onKey(event: TargetedKeyboardEvent<HTMLElement>, props: HandleProps): void {
  const { end, target, stats, span, drag } = props;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const display = target.channel.display.value;
  const zoom = ZOOMS[key];
  if (key in STEPS || key === 'Home' || key === 'End') setRange(target, rangeAfterKey(event, props));
  else if (zoom !== undefined) {
    span.value = zoomSpan(span.value, display[end], zoom, fullSpan(stats), minSpan(stats));
  } else if (key === '0') span.value = fullSpan(stats);
  else if (key === 'a' || key === 'A') setAuto(target);
  else if (key !== 'Escape' || !drag.cancel()) return;
  event.preventDefault();
}

function rangeAfterKey(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  { end, target, stats, span }: HandleProps,
) {
  const { min, max } = target.channel.display.value;
  const step = keyStep(span.value, stats);
  const from = end === 'min' ? min : max;
  const stepped = Number((from + (STEPS[key] ?? 0) * step * (shiftKey ? 10 : 1)).toPrecision(12));
  const value = key === 'Home' ? stats.min : key === 'End' ? stats.max : stepped;
  return end === 'min' ? { min: Math.min(value, max - step), max } : { min, max: Math.max(value, min + step) };
}
