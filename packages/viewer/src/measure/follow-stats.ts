import { effect, type Signal, signal } from '@preact/signals';
import { type RegionStats, regionStats } from '../analysis/region-stats.ts';
import { type ChannelView, isLoaded, type Mark, type Pane } from '../model/document.ts';
import { isArea } from '../model/mark-kind.ts';
import { createLatest } from './latest.ts';
import { markRegion } from './mark-region.ts';
import { selectedMark } from './marks.ts';

interface MarkStats {
  readonly mark: Mark;
  readonly channels: readonly { readonly channel: ChannelView; readonly stats: RegionStats }[];
}

/**
 * Follows the statistics of the selected region for every loaded channel. Works in slices, and starts again after a
 * change.
 */
export function followStats(pane: Pane): { stats: Signal<MarkStats | null>; stop(): void } {
  const stats = signal<MarkStats | null>(null);
  const latest = createLatest<{ mark: Mark | null; channels: readonly ChannelView[] }>(
    async ({ mark, channels }, stopped) => {
      stats.value = mark !== null && isArea(mark.kind) ? await compute(pane, mark, channels, stopped) : null;
    },
  );
  const stopEffect = effect(() => {
    const channels = pane.channels.filter(isLoaded);
    latest.request({ mark: selectedMark(pane), channels });
  });
  return {
    stats,
    stop() {
      stopEffect();
      latest.stop();
    },
  };
}

async function compute(
  pane: Pane,
  mark: Mark,
  channels: readonly ChannelView[],
  stopped: AbortSignal,
): Promise<MarkStats> {
  const region = markRegion(mark, pane.shape);
  const results: { channel: ChannelView; stats: RegionStats }[] = [];
  for (const channel of channels) {
    const far = channel.far.peek();
    const stats = far
      ? await far.regionStats(region, stopped)
      : await regionStats(channel.data.peek()!, pane.shape, region, { signal: stopped });
    results.push({ channel, stats });
  }
  return { mark, channels: results };
}
