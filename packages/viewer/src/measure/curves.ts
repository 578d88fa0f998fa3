/** The profiles of a pane: at its cursor, or over its selected region. */

import { effect, type Signal, signal } from '@preact/signals';
import { type Along, profileAt, profileOver } from '../analysis/profile.ts';
import { createSlices } from '../analysis/slices.ts';
import { sampleAt } from '../image/readout.ts';
import { type ChannelView, isLoaded, type Mark, type Pane } from '../model/document.ts';
import type { FarPlane } from '../model/far-plane.ts';
import { isArea } from '../model/mark-kind.ts';
import type { Samples } from '../model/samples.ts';
import { createLatest } from './latest.ts';
import { markBounds, markRegion } from './mark-region.ts';
import { selectedMark } from './marks.ts';

export interface Curve {
  readonly channel: ChannelView;
  /** Index of the first value along the axis. */
  readonly first: number;
  readonly values: ArrayLike<number>;
  /** Min and max over the other axis of a region; null for a profile at the cursor. */
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

/** Returns the subject of a profile: the selected region, otherwise the sample under the cursor; null without both. */
function profileSubject(pane: Pane, along: Along): Subject | null {
  const mark = selectedMark(pane);
  if (mark !== null && isArea(mark.kind)) {
    const { rows, columns } = markBounds(mark, pane.shape);
    const [from, to] = along === 'row' ? rows : columns;
    return { kind: 'region', mark, from, to };
  }
  const cursor = pane.cursor.value;
  const at = cursor && sampleAt(cursor, pane.shape);
  return at === null ? null : { kind: 'cursor', index: along === 'row' ? at.row : at.column };
}

/**
 * Follows the cursor, the selected region, the visible channels and the loaded planes. Works in slices, starting in the
 * next frame, because a profile over 200,000 lines must not block the pointer.
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
  let shown: readonly (Samples | FarPlane | null)[] = [];
  const stopEffect = effect(() => {
    const subject = profileSubject(pane, along);
    const channels = pane.channels.filter((channel) => channel.display.value.visible && isLoaded(channel));
    // Skip movements within a sample and changes of contrast, which do not change the profile.
    const key = JSON.stringify([subject, channels.map(({ index }) => index)]);
    const planes = channels.map(({ data, far }) => data.value ?? far.value);
    if (key === last && planes.every((data, i) => data === shown[i])) return;
    last = key;
    shown = planes;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => latest.request({ subject, channels }));
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
      const far = channel.far.peek();
      const values = far
        ? await far.line(along, subject.index, stopped)
        : await samplesAt(channel.data.peek()!, shape, along, subject.index, stopped);
      curves.push({ channel, first: 0, values, band: null });
    }
    return { along, subject, curves };
  }
  const region = markRegion(subject.mark, shape);
  const curves: Curve[] = [];
  for (const channel of channels) {
    const far = channel.far.peek();
    const { first, mean, min, max } = far
      ? await far.profile(region, along, stopped)
      : await profileOver(channel.data.peek()!, shape, region, along, { signal: stopped });
    curves.push({ channel, first, values: mean, band: { min, max } });
  }
  return { along, subject, curves };
}

/** Collects the column of a long plane in slices, because its samples are far apart in memory. */
async function samplesAt(
  data: Samples,
  shape: Pane['shape'],
  along: Along,
  index: number,
  signal: AbortSignal,
): Promise<Samples> {
  const [rows, columns] = shape;
  if (along === 'row') return profileAt(data, shape, along, index);
  const values = new Float32Array(rows);
  await createSlices({ signal }).each(rows, (from, to) => {
    for (let row = from; row < to; row++) values[row] = data[row * columns + index]!;
  });
  return values;
}
