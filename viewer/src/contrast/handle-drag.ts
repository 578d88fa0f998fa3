import type { ReadonlySignal } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';
import type { ValueRange } from '../analysis/range.ts';
import type { ChannelStats } from '../model/display.ts';
import type { Size } from '../model/geometry.ts';
import { type Reach, setRange } from './adjust.ts';
import { type Grip, gripAt, toValue } from './plot.ts';
import { tidy, type ValueSpan } from './value-axis.ts';

interface Held {
  readonly grip: Grip;
  readonly pointer: number;
  /** Range and place of the press. */
  readonly before: ValueRange;
  readonly at: number;
}

type PlotEvent = TargetedPointerEvent<HTMLDivElement>;

export interface HandleDrag {
  begin(event: PlotEvent): void;
  move(event: PlotEvent): void;
  end(): void;
  /** Range as before the press; false when nothing was held. */
  cancel(): boolean;
}

interface Parts {
  readonly reach: Reach;
  readonly stats: ChannelStats;
  readonly span: ReadonlySignal<ValueSpan>;
  readonly size: ReadonlySignal<Size>;
}

/** Pointer moves set the range alone: the renderer changes two numbers, and nothing is counted again. */
export function useHandleDrag({ reach, stats, span, size }: Parts): HandleDrag {
  const held = useRef<Held | null>(null);
  const xOf = (event: PlotEvent) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return Math.min(size.value.width, Math.max(0, x));
  };
  const move = (event: PlotEvent) => {
    const { grip, pointer, before, at } = held.current ?? { grip: null, pointer: -1, before: null, at: 0 };
    if (grip === null || before === null || pointer !== event.pointerId) return;
    setRange(reach, dragged(grip, before, { at, to: xOf(event) }, { stats, span: span.value, size: size.value }));
  };
  return {
    begin(event) {
      if (event.button !== 0 || held.current) return;
      const at = xOf(event);
      const { min, max } = reach.channel.display.value;
      const grip = gripAt(at, { min, max }, span.value, size.value);
      held.current = { grip, pointer: event.pointerId, before: { min, max }, at };
      event.currentTarget.setPointerCapture(event.pointerId);
      focusHandle(event.currentTarget, grip);
      event.preventDefault();
      if (grip !== 'both') move(event);
    },
    move,
    end() {
      held.current = null;
    },
    cancel() {
      const before = held.current?.before;
      held.current = null;
      if (before) setRange(reach, before);
      return before !== undefined;
    },
  };
}

/** The keys go on where the pointer left off. */
function focusHandle(plot: HTMLElement, grip: Grip): void {
  const handle = plot.querySelector<HTMLElement>(`[data-end="${grip === 'both' ? 'min' : grip}"]`);
  handle?.focus({ preventScroll: true });
}

interface Place {
  readonly stats: ChannelStats;
  readonly span: ValueSpan;
  readonly size: Size;
}

/** The range after a drag from one x to another. An end stops short of the other by a pixel's worth. */
export function dragged(grip: Grip, before: ValueRange, x: { at: number; to: number }, place: Place): ValueRange {
  const { stats, span, size } = place;
  const perPixel = (span.to - span.from) / size.width;
  const gap = stats.integer ? Math.max(1, Math.round(perPixel)) : perPixel;
  if (grip === 'both') {
    const moved = tidy(before.min + (x.to - x.at) * perPixel, stats, perPixel) - before.min;
    return { min: before.min + moved, max: before.max + moved };
  }
  const value = tidy(toValue(x.to, span, size), stats, perPixel);
  if (grip === 'min') return { ...before, min: Math.min(value, before.max - gap) };
  return { ...before, max: Math.max(value, before.min + gap) };
}
