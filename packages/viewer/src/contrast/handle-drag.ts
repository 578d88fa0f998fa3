import type { ReadonlySignal } from '@preact/signals';
import type { TargetedPointerEvent } from 'preact';
import { useRef } from 'preact/hooks';
import type { ChannelStats, ValueRange } from '../model/display.ts';
import type { Size } from '../model/geometry.ts';
import { type ContrastTarget, setRange } from './adjust.ts';
import { gripAt, type RangeGrip, toValue } from './plot.ts';
import { tidy, type ValueSpan } from './value-axis.ts';

interface HandleDragState {
  readonly grip: RangeGrip;
  readonly pointer: number;
  /** Range at the press. */
  readonly before: ValueRange;
  /** Horizontal position of the press. */
  readonly at: number;
}

type PlotEvent = TargetedPointerEvent<HTMLDivElement>;

export interface HandleDrag {
  begin(event: PlotEvent): void;
  move(event: PlotEvent): void;
  end(): void;
  /** Restores the range from before the press; returns false when there was no drag. */
  cancel(): boolean;
}

interface HandleDragParts {
  readonly target: ContrastTarget;
  readonly stats: ChannelStats;
  readonly span: ReadonlySignal<ValueSpan>;
  readonly size: ReadonlySignal<Size>;
}

/** Drags the handles of a histogram. A movement only sets the range; nothing is counted again. */
export function useHandleDrag({ target, stats, span, size }: HandleDragParts): HandleDrag {
  const drag = useRef<HandleDragState | null>(null);
  const xOf = (event: PlotEvent) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return Math.min(size.value.width, Math.max(0, x));
  };
  const move = (event: PlotEvent) => {
    const { grip, pointer, before, at } = drag.current ?? { grip: null, pointer: -1, before: null, at: 0 };
    if (grip === null || before === null || pointer !== event.pointerId) return;
    setRange(target, dragged(grip, before, { at, to: xOf(event) }, { stats, span: span.value, size: size.value }));
  };
  return {
    begin(event) {
      if (event.button !== 0 || drag.current) return;
      const at = xOf(event);
      const { min, max } = target.channel.display.value;
      const grip = gripAt(at, { min, max }, span.value, size.value);
      drag.current = { grip, pointer: event.pointerId, before: { min, max }, at };
      event.currentTarget.setPointerCapture(event.pointerId);
      focusHandle(event.currentTarget, grip);
      event.preventDefault();
      if (grip !== 'both') move(event);
    },
    move,
    end() {
      drag.current = null;
    },
    cancel() {
      const before = drag.current?.before;
      drag.current = null;
      if (before) setRange(target, before);
      return before !== undefined;
    },
  };
}

/** Focuses the dragged handle, so that the keys continue where the pointer stopped. */
function focusHandle(plot: HTMLElement, grip: RangeGrip): void {
  const handle = plot.querySelector<HTMLElement>(`[data-end="${grip === 'both' ? 'min' : grip}"]`);
  handle?.focus({ preventScroll: true });
}

interface HandlePlace {
  readonly stats: ChannelStats;
  readonly span: ValueSpan;
  readonly size: Size;
}

/** Returns the range after a drag between two x positions. The ends stay at least one pixel apart. */
export function dragged(
  grip: RangeGrip,
  before: ValueRange,
  x: { at: number; to: number },
  place: HandlePlace,
): ValueRange {
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
