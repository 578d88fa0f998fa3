/** The shown part of a recording on its overview bar: what drags, keys and the wheel do with it. Pure functions. */
import { clamp } from './marks.ts';

/** A part of the recording, in units of the display. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a press takes: one end of the shown part, all of it, or a place beside it. */
export type SpanGrip = 'from' | 'to' | 'both' | 'beside';

/** Lengths along the bar: the whole recording, and the shortest part that can be shown. */
export interface Limits {
  readonly whole: number;
  readonly least: number;
}

/** Around an end, this many pixels take it; inside of a narrow part fewer, so that its middle can be dragged. */
const REACH = 8;
const INSIDE = 0.25;
/** Share of the shown part that an arrow moves, and factor of a step of zoom. */
const STEP = 0.1;
const ZOOM = 1.5;

/** Returns what a press at `x` takes; all in pixels. */
export function gripAt(x: number, { from, to }: Span): SpanGrip {
  const inside = Math.min(REACH, INSIDE * (to - from));
  if (x < from - REACH || x > to + REACH) return 'beside';
  if (x >= from + inside && x <= to - inside) return 'both';
  return Math.abs(x - from) <= Math.abs(x - to) ? 'from' : 'to';
}

/** Returns the part after a drag `by` units. An end stays the shortest length away from the other one. */
export function dragged(grip: SpanGrip, { from, to }: Span, by: number, limits: Limits): Span {
  const { whole, least } = limits;
  if (grip === 'from') return { from: clamp(from + by, 0, to - least), to };
  if (grip === 'to') return { from, to: clamp(to + by, from + least, whole) };
  return moved({ from, to }, by, limits);
}

/** Returns the part of the same length around a place, or as near as the ends of the recording allow. */
export function centered(span: Span, at: number, limits: Limits): Span {
  return moved(span, at - (span.from + span.to) / 2, limits);
}

/** Magnifies by `factor`. What is at `at` stays where it is; beside the part, its nearer end does. */
export function zoomed({ from, to }: Span, at: number, factor: number, limits: Limits): Span {
  const length = clamp((to - from) / factor, limits.least, limits.whole);
  const fixed = clamp(at, from, to);
  const start = fixed - ((fixed - from) * length) / (to - from);
  return moved({ from: start, to: start + length }, 0, limits);
}

const ARROWS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
const PAGES: Readonly<Record<string, number>> = { PageDown: -1, PageUp: 1 };
const ZOOMS: Readonly<Record<string, number>> = { '+': ZOOM, '=': ZOOM, '-': 1 / ZOOM, _: 1 / ZOOM, '−': 1 / ZOOM };

/** Keys of the overview bar, for the help dialog. */
export const OVERVIEW_KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: '← →', does: 'Move the shown part; with Shift, make it longer or shorter' },
  { keys: 'Page Up, Page Down', does: 'Move it by its length' },
  { keys: '+ and −', does: 'Make it shorter or longer' },
  { keys: 'Home, End', does: 'Show the start or the end' },
  { keys: '0', does: 'Show the whole recording' },
];

/** Returns the part after a key; null for keys that mean nothing here. */
export function afterKey(key: string, shift: boolean, span: Span, limits: Limits): Span | null {
  const { from, to } = span;
  const arrow = ARROWS[key];
  if (arrow !== undefined && !shift) return moved(span, arrow * STEP * (to - from), limits);
  const factor = arrow === undefined ? ZOOMS[key] : arrow > 0 ? ZOOM : 1 / ZOOM;
  if (factor !== undefined) return zoomed(span, (from + to) / 2, factor, limits);
  const page = PAGES[key];
  if (page !== undefined) return moved(span, page * (to - from), limits);
  if (key === 'Home') return moved(span, -from, limits);
  if (key === 'End') return moved(span, limits.whole - to, limits);
  return key === '0' ? { from: 0, to: limits.whole } : null;
}

function moved({ from, to }: Span, by: number, { whole }: Limits): Span {
  const length = to - from;
  const start = clamp(from + by, 0, whole - length);
  return { from: start, to: start + length };
}
