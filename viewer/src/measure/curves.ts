/** The profiles of a pane that are on screen: at its cursor, or over its selected region. */
import { effect, type Signal, signal } from '@preact/signals';
import { type Along, profileAt, profileOver } from '../analysis/profile.ts';
import { regionBetween } from '../analysis/region.ts';
import { sampleAt } from '../image/readout.ts';
import type { ChannelView, Mark, Pane } from '../model/document.ts';
import { selectedMark } from './marks.ts';

export interface Curve {
  readonly channel: ChannelView;
  /** Index along the axis of the first value. */
  readonly first: number;
  readonly values: ArrayLike<number>;
  /** Extremes over the region's other axis; null at the cursor. */
  readonly band: { readonly min: ArrayLike<number>; readonly max: ArrayLike<number> } | null;
}

export type Subject =
  | { readonly kind: 'cursor'; readonly index: number }
  | { readonly kind: 'region'; readonly mark: Mark; readonly from: number; readonly to: number };

export interface Curves {
  readonly along: Along;
  readonly subject: Subject;
  readonly curves: readonly Curve[];
}

/** What profiles along an axis are of: a selected region, else the sample under the cursor; null without either. */
export function profileSubject(pane: Pane, along: Along): Subject | null {
  const mark = selectedMark(pane);
  if (mark?.kind === 'region') {
    const { rows, columns } = regionBetween(mark.from, mark.to, pane.shape);
    const [from, to] = along === 'row' ? rows : columns;
    return { kind: 'region', mark, from, to };
  }
  const cursor = pane.cursor.value;
  const at = cursor && sampleAt(cursor, pane.shape);
  return at === null ? null : { kind: 'cursor', index: along === 'row' ? at.row : at.column };
}

/**
 * Follows cursor, selected region, visible channels and arriving planes. Profiles at the cursor come with the next frame;
 * those over a region in slices, and are given up when the region changes meanwhile.
 */
export function followCurves(pane: Pane, along: Along): { curves: Signal<Curves | null>; stop(): void } {
  const curves = signal<Curves | null>(null);
  let frame = 0;
  let running = new AbortController();
  const stopEffect = effect(() => {
    const subject = profileSubject(pane, along);
    const channels = pane.channels.filter(({ display, data }) => display.value.visible && data.value !== null);
    running.abort();
    running = new AbortController();
    const { signal: stopped } = running;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      void compute(pane, along, subject, channels, stopped).then((result) => {
        if (!stopped.aborted) curves.value = result;
      }, ignoreAbort);
    });
  });
  return {
    curves,
    stop() {
      stopEffect();
      running.abort();
      cancelAnimationFrame(frame);
    },
  };
}

async function compute(
  pane: Pane,
  along: Along,
  subject: Subject | null,
  channels: readonly ChannelView[],
  stopped: AbortSignal,
): Promise<Curves | null> {
  if (subject === null || channels.length === 0) return null;
  const { shape } = pane;
  if (subject.kind === 'cursor') {
    const curves = channels.map((channel) => {
      const values = profileAt(channel.data.peek() as Float32Array, shape, along, subject.index);
      return { channel, first: 0, values, band: null };
    });
    return { along, subject, curves };
  }
  const region = regionBetween(subject.mark.from, subject.mark.to, shape);
  const curves: Curve[] = [];
  for (const channel of channels) {
    const data = channel.data.peek() as Float32Array;
    const { first, mean, min, max } = await profileOver(data, shape, region, along, { signal: stopped });
    curves.push({ channel, first, values: mean, band: { min, max } });
  }
  return { along, subject, curves };
}

function ignoreAbort(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error;
}
