/** Smoothed samples of channels, which cards draw instead of the samples. They are computed when a card asks for them. */
import { type Signal, signal } from '@preact/signals';
import { smoothNow, smoothPlane } from '../analysis/smooth.ts';
import type { Smoothing } from '../model/display.ts';
import type { ChannelView, Pane } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import type { Samples } from '../model/samples.ts';

/** Larger planes are not smoothed: the result takes up to 512 MiB. */
const MAX_SMOOTHED = 2 ** 27;

/** Planes up to this size are smoothed at once, in a few milliseconds, so that a stack can be played without flicker. */
const SMALL = 2 ** 17;

interface SmoothedSamples {
  readonly data: Samples;
  readonly smoothing: Smoothing;
  /** Null until all samples have been smoothed. */
  readonly result: Signal<Samples | null>;
  readonly done: Promise<void>;
  readonly ending: AbortController;
}

/** The last result of each channel. */
const entries = new WeakMap<ChannelView, SmoothedSamples>();

/** Returns the samples to draw: smoothed ones once they are ready, otherwise those of the slab or the plane. */
export function shownSamples(pane: Pane, channel: ChannelView): Samples | null {
  return entryFor(pane, channel)?.result.value ?? drawn(channel);
}

/** Resolves when `shownSamples` returns what the settings of the pane ask for. */
export async function whenSmoothed(pane: Pane, channel: ChannelView): Promise<void> {
  await entryFor(pane, channel)?.done;
}

/**
 * Returns what has to be said on a picture of these channels; empty when their samples are shown.
 * @param hasSlab false for pictures of other planes, which are single ones
 */
export function smoothingNote(pane: Pane, channels: readonly ChannelView[], hasSlab = true): string {
  const loaded = channels.filter(({ data }) => data.value !== null);
  const shown = loaded.map((channel) => entryFor(pane, channel));
  const words = hasSlab ? loaded.map((channel) => channel.slab.value?.words ?? '') : [];
  const slab = words.find(Boolean) ?? '';
  if (shown.every((entry) => entry === null)) return slab && `${slab} – display only`;
  if (shown.some((entry) => entry !== null && entry.result.value === null)) return 'Smoothing…';
  return `${[slab, smoothingText(pane.smoothing.value)].filter(Boolean).join(' · ')} – display only`;
}

/** True when the pictures are not those of the samples. */
export function changes({ kind, linePhase = 0 }: Smoothing): boolean {
  return kind !== 'none' || linePhase !== 0;
}

function smoothingText(smoothing: Smoothing): string {
  const { linePhase = 0 } = smoothing;
  const phase = linePhase === 0 ? '' : `Line phase ${formatNumber(linePhase)} px`;
  return [phase, filterText(smoothing)].filter(Boolean).join(' · ');
}

function filterText({ kind, sigma, alongTime = false }: Smoothing): string {
  if (kind === 'none') return '';
  if (kind === 'median') return alongTime ? 'Median of 3 lines' : 'Median 3 × 3';
  return `Gaussian σ ${sigma}${alongTime ? ' along time' : ''}`;
}

/** True when the page holds the planes of a pane as a whole, and they are not too large. */
export function isSmoothable(pane: Pane): boolean {
  return isSmallEnough(pane) && pane.channels.every(({ far }) => far.value === null);
}

function isSmallEnough({ shape: [rows, columns] }: Pane): boolean {
  return rows * columns <= MAX_SMOOTHED;
}

/** Returns the samples before smoothing. */
function drawn({ slab, data }: ChannelView): Samples | null {
  return data.value && (slab.value?.samples ?? data.value);
}

function entryFor(pane: Pane, channel: ChannelView): SmoothedSamples | null {
  const data = drawn(channel);
  const smoothing = pane.smoothing.value;
  const known = entries.get(channel);
  if (known && known.data === data && same(known.smoothing, smoothing)) return known;
  known?.ending.abort();
  entries.delete(channel);
  const [rows, columns] = pane.shape;
  if (data === null || !changes(smoothing) || !isSmallEnough(pane) || data.length !== rows * columns) return null;
  const entry = startSmoothing(data, pane, smoothing);
  entries.set(channel, entry);
  return entry;
}

function startSmoothing(data: Samples, { shape }: Pane, smoothing: Smoothing): SmoothedSamples {
  const ending = new AbortController();
  if (data.length <= SMALL) {
    const done = Promise.resolve();
    return { data, smoothing, result: signal(smoothNow(data, shape, smoothing)), done, ending };
  }
  const result = signal<Samples | null>(null);
  const done = smoothPlane(data, shape, smoothing, ending.signal).then(
    (smoothed) => {
      result.value = smoothed;
    },
    (error: unknown) => {
      if (!ending.signal.aborted) throw error;
    },
  );
  return { data, smoothing, result, done, ending };
}

function same(a: Smoothing, b: Smoothing): boolean {
  if (a.linePhase !== b.linePhase) return false;
  return a.kind === b.kind && a.alongTime === b.alongTime && (a.kind !== 'gaussian' || a.sigma === b.sigma);
}
