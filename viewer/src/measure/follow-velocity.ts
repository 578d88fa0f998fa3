import { effect, type Signal, signal } from '@preact/signals';
import { type PlaneRegion, regionBetween } from '../analysis/region.ts';
import { type VelocityTrace, velocityTrace } from '../analysis/velocity.ts';
import type { ChannelView, Mark, Pane } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { createLatest } from './latest.ts';
import { selectedMark } from './marks.ts';

export interface VelocityResult extends VelocityTrace {
  readonly channel: ChannelView;
  /** Region in which the velocity was computed; null for the whole plane. */
  readonly mark: Mark | null;
  readonly region: PlaneRegion;
}

export interface VelocityState {
  readonly result: VelocityResult | null;
  /** Fraction done, 0 to 1; null when nothing is being computed. */
  readonly progress: number | null;
}

interface VelocityInput {
  readonly channel: Signal<number>;
  readonly lines: Signal<number>;
}

/** Follows the samples of a channel and the selected region. Works in slices; a newer input ends the work. */
export function followVelocity(pane: Pane, input: VelocityInput): { state: Signal<VelocityState>; stop(): void } {
  const state = signal<VelocityState>({ result: null, progress: null });
  const latest = createLatest<{ channel: ChannelView; data: Samples; mark: Mark | null; lines: number }>(
    async ({ channel, data, mark, lines }, stopped) => {
      const region =
        mark === null
          ? { rows: [0, pane.shape[0]] as const, columns: [0, pane.shape[1]] as const }
          : regionBetween(mark.from, mark.to, pane.shape);
      const onProgress = (progress: number) => {
        state.value = { ...state.peek(), progress };
      };
      onProgress(0);
      const trace = await velocityTrace(data, pane.shape, region, { lines, signal: stopped, onProgress });
      state.value = { result: { ...trace, channel, mark, region }, progress: null };
    },
  );
  let last = '';
  let shown: Samples | null = null;
  const stopEffect = effect(() => {
    const selected = selectedMark(pane);
    const mark = selected?.kind === 'region' ? selected : null;
    const loaded = pane.channels.filter(({ data }) => data.value !== null);
    const channel = loaded.find(({ index }) => index === input.channel.value) ?? loaded[0];
    const data = channel?.data.value ?? null;
    const key = JSON.stringify([mark?.from, mark?.to, channel?.index, input.lines.value]);
    if (channel === undefined || data === null || (key === last && data === shown)) return;
    last = key;
    shown = data;
    latest.request({ channel, data, mark, lines: input.lines.value });
  });
  return {
    state,
    stop() {
      stopEffect();
      latest.stop();
    },
  };
}
