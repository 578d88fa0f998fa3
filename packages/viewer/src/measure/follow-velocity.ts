import { effect, type Signal, signal } from '@preact/signals';
import { percentile } from '../analysis/baseline.ts';
import { type PlaneRegion, regionBetween } from '../analysis/region.ts';
import { type VelocityTrace, velocityTrace } from '../analysis/velocity.ts';
import { rowsOf } from '../image/plane-axes.ts';
import type { ChannelView, Mark, Pane } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { createLatest } from './latest.ts';
import { selectedMark } from './marks.ts';

export interface ChannelQuality {
  readonly channel: ChannelView;
  /** Median over some windows of the channel. */
  readonly quality: number;
}

export interface VelocityResult extends VelocityTrace {
  readonly channel: ChannelView;
  /** Region in which the velocity was computed; null for the whole plane. */
  readonly mark: Mark | null;
  readonly region: PlaneRegion;
  /** Quality of all loaded channels, the best one first. */
  readonly compared: readonly ChannelQuality[];
  /** True when the channel was chosen by its quality. */
  readonly automatic: boolean;
}

export interface VelocityState {
  readonly result: VelocityResult | null;
  /** Fraction done, 0 to 1; null when nothing is being computed. */
  readonly progress: number | null;
}

interface VelocityInput {
  /** Index of the channel; null for the one with the best quality. */
  readonly channel: Signal<number | null>;
  readonly lines: Signal<number>;
}

interface VelocityWork {
  readonly channels: readonly ChannelView[];
  readonly chosen: number | null;
  readonly mark: Mark | null;
  readonly lines: number;
}

/** Windows of each channel by which channels are compared. */
const COMPARED = 24;

/** Follows the samples of the channels and the selected region. Works in slices; a newer input ends the work. */
export function followVelocity(pane: Pane, input: VelocityInput): { state: Signal<VelocityState>; stop(): void } {
  const state = signal<VelocityState>({ result: null, progress: null });
  const latest = createLatest<VelocityWork>(async (work, stopped) => {
    const result = await compute(pane, work, stopped, (progress) => {
      state.value = { ...state.peek(), progress };
    });
    state.value = { result, progress: null };
  });
  let last = '';
  let shown: readonly (Samples | null)[] = [];
  const stopEffect = effect(() => {
    const selected = selectedMark(pane);
    const mark = selected?.kind === 'region' ? selected : null;
    const channels = pane.channels.filter(({ data }) => data.value !== null);
    const planes = channels.map(({ data }) => data.value);
    const [lines, chosen] = [input.lines.value, input.channel.value];
    const times = rowsOf(pane)?.id;
    const key = JSON.stringify([mark?.from, mark?.to, channels.map(({ index }) => index), chosen, lines, times]);
    if (channels.length === 0 || (key === last && planes.every((data, i) => data === shown[i]))) return;
    last = key;
    shown = planes;
    latest.request({ channels, chosen, mark, lines });
  });
  return {
    state,
    stop() {
      stopEffect();
      latest.stop();
    },
  };
}

async function compute(
  pane: Pane,
  { channels, chosen, mark, lines }: VelocityWork,
  stopped: AbortSignal,
  report: (progress: number) => void,
): Promise<VelocityResult> {
  report(0);
  const { shape } = pane;
  const region: PlaneRegion =
    mark === null ? { rows: [0, shape[0]], columns: [0, shape[1]] } : regionBetween(mark.from, mark.to, shape);
  const breaks = rowsOf(pane)?.gaps.map(({ after }) => after + 1) ?? [];
  const options = { lines, breaks, signal: stopped };
  const compared: ChannelQuality[] = [];
  for (const channel of channels) {
    // A single channel has nothing to be compared with.
    const some = channels.length === 1 ? null : { ...options, maxWindows: COMPARED };
    const trace = some && (await velocityTrace(channel.data.peek()!, shape, region, some));
    compared.push({ channel, quality: trace === null ? 0 : percentile(trace.qualities, 0.5) });
  }
  compared.sort((a, b) => b.quality - a.quality);
  const channel = channels.find(({ index }) => index === chosen) ?? compared[0]!.channel;
  const trace = await velocityTrace(channel.data.peek()!, shape, region, { ...options, onProgress: report });
  const quality = percentile(trace.qualities, 0.5);
  return {
    ...{ ...trace, channel, mark, region, automatic: channel.index !== chosen },
    compared: compared.map((one) => (one.channel === channel ? { channel, quality } : one)),
  };
}
