/** The samples along the selected line of an image, in every visible channel. */
import { effect, type Signal, signal } from '@preact/signals';
import { lineProfile, lineThrough, MAX_PROFILE_SAMPLES } from '../analysis/line-profile.ts';
import { type AcquisitionDocument, type ChannelView, isLoaded, type Mark, type Pane } from '../model/document.ts';
import type { FarPlane } from '../model/far-plane.ts';
import type { Samples } from '../model/samples.ts';
import { placeOf, planePlace } from '../stack/place.ts';
import { createLatest } from './latest.ts';
import { centeredPoints, markPoints } from './marks.ts';

export interface LineCurves {
  readonly mark: Mark;
  /** In µm, otherwise in samples. */
  readonly distances: Float64Array;
  readonly unit: 'micrometer' | 'Pixels';
  readonly curves: readonly { readonly channel: ChannelView; readonly values: Float64Array }[];
}

interface LineWork {
  readonly mark: Mark;
  readonly channels: readonly ChannelView[];
}

/** Follows a line, the visible channels and their planes; null for a line without length, and for one that is too long. */
export function followLine(
  document: AcquisitionDocument,
  pane: Pane,
  id: string,
): { line: Signal<LineCurves | null>; stop(): void } {
  const line = signal<LineCurves | null>(null);
  const latest = createLatest<LineWork | null>(async (work, stopped) => {
    line.value = work && (await compute(document, pane, work, stopped));
  });
  let last: readonly (Mark | Samples | FarPlane | null)[] = [];
  const stopEffect = effect(() => {
    const mark = pane.marks.value.find((one) => one.id === id) ?? null;
    const channels = pane.channels.filter((channel) => channel.display.value.visible && isLoaded(channel));
    const inputs = [mark, ...channels.map(({ data, far }) => data.value ?? far.value)];
    if (inputs.length === last.length && inputs.every((input, i) => input === last[i])) return;
    last = inputs;
    latest.request(mark && { mark, channels });
  });
  return {
    line,
    stop() {
      stopEffect();
      latest.stop();
    },
  };
}

async function compute(
  document: AcquisitionDocument,
  pane: Pane,
  { mark, channels }: LineWork,
  signal: AbortSignal,
): Promise<LineCurves | null> {
  const line = lineThrough(markPoints(mark));
  const { width = 1 } = mark;
  if (line === null || line.places * width > MAX_PROFILE_SAMPLES) return null;
  const [y, x] = pane.plane.axes;
  const isPhysical = y?.unit === 'micrometer' && x?.unit === 'micrometer';
  const distances = isPhysical ? line.distances(y.step, x.step) : line.distances(1, 1);
  const curves: { channel: ChannelView; values: Float64Array }[] = [];
  for (const channel of channels) {
    const data = channel.data.peek();
    const values = data
      ? await lineProfile(data, pane.shape, line, width, { signal })
      : await farProfile(document, pane, channel, mark, signal);
    if (values !== null) curves.push({ channel, values });
  }
  return { mark, distances, unit: isPhysical ? 'micrometer' : 'Pixels', curves };
}

/** Asks the server for the line of a plane that is too large for the page; null for reference images. */
async function farProfile(
  document: AcquisitionDocument,
  pane: Pane,
  channel: ChannelView,
  mark: Mark,
  signal: AbortSignal,
): Promise<Float64Array | null> {
  if (pane.kind !== 'source') return null;
  const info = document.info.peek();
  const { t, z } = planePlace(info, placeOf(info));
  const choice = {
    points: centeredPoints(mark),
    width: mark.width ?? 1,
    ...(t === undefined ? {} : { t }),
    ...(z === undefined ? {} : { z }),
  };
  const { values } = await document.opened.peek().profile(channel.index, choice, { signal });
  return Float64Array.from(values, (value) => value ?? Number.NaN);
}
