/** Mean and ΔF/F₀ of marks in every loaded channel. */
import { baselineOf, parseBaseline } from '../analysis/baseline.ts';
import { pathMean } from '../analysis/path-samples.ts';
import { profileOver } from '../analysis/profile.ts';
import { regionBetween } from '../analysis/region.ts';
import { regionMean } from '../analysis/region-stats.ts';
import type { Baseline, ChannelView, Mark, Pane } from '../model/document.ts';
import { isArea } from '../model/mark-kind.ts';
import type { Samples } from '../model/samples.ts';
import { markRegion } from './mark-region.ts';
import { markPoints } from './marks.ts';

export interface MarkMean {
  readonly channel: ChannelView;
  readonly mean: number;
  /** NaN when the baseline is missing or 0. */
  readonly dff: number;
}

/** Returns the mean of each loaded channel over a region, along a line, or at a point; rejects when aborted. */
export async function markMeans(
  mark: Mark,
  pane: Pane,
  baseline: Baseline,
  stopped: AbortSignal,
): Promise<readonly MarkMean[]> {
  const means: MarkMean[] = [];
  for (const channel of pane.channels) {
    const data = channel.data.peek();
    if (data === null) continue;
    const mean = await meanOf(mark, data, pane, stopped);
    const f0 = await f0Of(mark, data, pane, baseline, stopped);
    means.push({ channel, mean, dff: f0 === 0 ? Number.NaN : (mean - f0) / f0 });
  }
  return means;
}

async function meanOf(mark: Mark, data: Samples, pane: Pane, signal: AbortSignal): Promise<number> {
  if (!isArea(mark.kind)) return pathMean(data, pane.shape, markPoints(mark));
  return regionMean(data, pane.shape, markRegion(mark, pane.shape), { signal });
}

async function f0Of(mark: Mark, data: Samples, pane: Pane, baseline: Baseline, signal: AbortSignal): Promise<number> {
  const source = parseBaseline(baseline);
  if (source?.kind === 'mark') {
    const reference = pane.marks.peek().find(({ id }) => id === source.id);
    return reference === undefined ? Number.NaN : meanOf(reference, data, pane, signal);
  }
  if (!pane.lineScan) return Number.NaN;
  const columns = markPoints(mark).map(({ column }) => column);
  const span = { row: 0, column: Math.min(...columns) };
  const region = regionBetween(span, { row: pane.shape[0], column: Math.max(...columns) }, pane.shape);
  const { mean } = await profileOver(data, pane.shape, region, 'column', { signal });
  return baselineOf(mean, baseline);
}
