/** The profiles of a pane that are on screen: at its cursor, or over its selected region. */
import { effect, type Signal, signal } from '@preact/signals';
import { type Along, profileAt, profileOver } from '../analysis/profile.ts';
import { regionBetween } from '../analysis/region.ts';
import { createSlices } from '../analysis/slices.ts';
import { sampleAt } from '../image/readout.ts';
import type { ChannelView, Mark, Pane } from '../model/document.ts';
import { createLatest } from './latest.ts';
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
 * Follows cursor, selected region, visible channels and arriving planes, from the next frame on and in slices: a profile over
 * 200,000 lines must not hold up the pointer that asks for it.
 */
export function followCurves(pane: Pane, along: Along): { curves: Signal<Curves | null>; stop(): void } {
  const curves = signal<Curves | null>(null);
  let frame = 0;
  const latest = createLatest<{ subject: Subject | null; channels: readonly ChannelView[] }>(
    async ({ subject, channels }, stopped) => {
      curves.value = await compute(pane, along, subject, channels, stopped);
    },
  );
  let last = '';
  let shown: readonly (Float32Array | null)[] = [];
  const stopEffect = effect(() => {
    const subject = profileSubject(pane, along);
    const channels = pane.channels.filter(({ display, data }) => display.value.visible && data.value !== null);
    // The pointer moves more often than the sample under it changes, and contrast changes no profile.
    const key = JSON.stringify([subject, channels.map(({ index }) => index)]);
    const planes = channels.map(({ data }) => data.value);
    if (key === last && planes.every((data, i) => data === shown[i])) return;
    last = key;
    shown = planes;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => latest.want({ subject, channels }));
  });
  return {
    curves,
    stop() {
      stopEffect();
      latest.stop();
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
    const curves: Curve[] = [];
    for (const channel of channels) {
      const data = channel.data.peek()!;
      curves.push({
        channel,
        first: 0,
        values: await samplesAt(data, shape, along, subject.index, stopped),
        band: null,
      });
    }
    return { along, subject, curves };
  }
  const region = regionBetween(subject.mark.from, subject.mark.to, shape);
  const curves: Curve[] = [];
  for (const channel of channels) {
    const data = channel.data.peek()!;
    const { first, mean, min, max } = await profileOver(data, shape, region, along, { signal: stopped });
    curves.push({ channel, first, values: mean, band: { min, max } });
  }
  return { along, subject, curves };
}

/** Rows lie far apart in memory: a column of a long plane is gathered in slices. */
async function samplesAt(
  data: Float32Array,
  shape: Pane['shape'],
  along: Along,
  index: number,
  signal: AbortSignal,
): Promise<Float32Array> {
  const [rows, columns] = shape;
  if (along === 'row') return profileAt(data, shape, along, index);
  const values = new Float32Array(rows);
  await createSlices({ signal }).each(rows, (from, to) => {
    for (let row = from; row < to; row++) values[row] = data[row * columns + index]!;
  });
  return values;
}
