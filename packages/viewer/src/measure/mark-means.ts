/** Mean and ΔF/F₀ of marks in every loaded channel. */
import { untracked } from '@preact/signals';
import { baselineOf, parseBaseline } from '../analysis/baseline.ts';
import { pathMean } from '../analysis/path-samples.ts';
import { profileOver } from '../analysis/profile.ts';
import { regionMean } from '../analysis/region-stats.ts';
import type { Baseline, ChannelView, Mark, Pane } from '../model/document.ts';
import { isArea } from '../model/mark-kind.ts';
import type { Samples } from '../model/samples.ts';
import { markBounds, markRegion } from './mark-region.ts';
import { backgroundMark, lineWidth, markPoints } from './marks.ts';

export interface MarkMean {
  readonly channel: ChannelView;
  readonly mean: number;
  /** NaN when the baseline is missing or 0. */
  readonly dff: number;
}

/**
 * Returns the mean of each loaded channel over a region, along a line, or at a point, less that of the background; rejects
 * when aborted.
 */
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
    means.push({ channel, mean, dff: f0 === 0 ? Number.NaN : (mean - f0) / f0 + 0 });
  }
  return means;
}

async function meanOf(mark: Mark, data: Samples, pane: Pane, signal: AbortSignal): Promise<number> {
  const { shape } = pane;
  const mean = isArea(mark.kind)
    ? await regionMean(data, shape, markRegion(mark, shape), { signal })
    : pathMean(data, shape, markPoints(mark), lineWidth(mark, pane));
  const background = backgroundOf(mark, pane);
  if (background === null) return mean;
  // On a line scan the background was recorded with the same lines.
  const { rows } = markBounds(mark, shape);
  const region = pane.lineScan ? { ...markBounds(background, shape), rows } : markRegion(background, shape);
  return mean - (await regionMean(data, shape, region, { signal }));
}

/** Returns what is subtracted from a mark; null for the background itself. */
function backgroundOf(mark: Mark, pane: Pane): Mark | null {
  const background = untracked(() => backgroundMark(pane));
  return background?.id === mark.id ? null : background;
}

async function f0Of(mark: Mark, data: Samples, pane: Pane, baseline: Baseline, signal: AbortSignal): Promise<number> {
  const source = parseBaseline(baseline);
  if (source?.kind === 'mark') {
    const reference = pane.marks.peek().find(({ id }) => id === source.id);
    return reference === undefined ? Number.NaN : meanOf(reference, data, pane, signal);
  }
  if (!pane.lineScan) return Number.NaN;
  const lines = async (of: Mark) => {
    const region = { ...markBounds(of, pane.shape), rows: [0, pane.shape[0]] as const };
    return (await profileOver(data, pane.shape, region, 'column', { signal })).mean;
  };
  const values = await lines(mark);
  const background = backgroundOf(mark, pane);
  const less = background && (await lines(background));
  return baselineOf(less ? values.map((value, i) => value - less[i]!) : values, baseline);
}
