import { effect, type Signal, signal } from '@preact/signals';
import type { Mark, Pane } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { createLatest } from './latest.ts';
import { type MarkMean, markMeans } from './mark-means.ts';

/** Kept results; a dragged mark leaves one for each place that it passed. */
const MAX_KNOWN = 1000;

export type MeansByMark = ReadonlyMap<string, readonly MarkMean[]>;

/**
 * Follows the means of all marks. A mark that has not changed is not computed again, unless the samples or the baseline
 * have changed.
 */
export function followMeans(pane: Pane): { means: Signal<MeansByMark>; stop(): void } {
  const means = signal<MeansByMark>(new Map());
  const known = new Map<string, readonly MarkMean[]>();
  let planes: readonly (Samples | null)[] = [];
  const latest = createLatest<readonly Mark[]>(async (marks, stopped) => {
    const baseline = pane.baseline.peek();
    const reference = marks.find(({ id }) => `mark ${id}` === baseline);
    const background = marks.find(({ id }) => id === pane.background.peek());
    const next = new Map<string, readonly MarkMean[]>();
    for (const mark of marks) {
      const key = JSON.stringify([
        placeOf(mark),
        baseline,
        ...[reference, background].map((one) => one && placeOf(one)),
      ]);
      const found = known.get(key) ?? (await markMeans(mark, pane, baseline, stopped));
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(key, found);
      next.set(mark.id, found);
      means.value = new Map([...means.peek(), ...next]);
    }
    means.value = next;
  });
  const stopEffect = effect(() => {
    const loaded = pane.channels.map(({ data }) => data.value);
    pane.baseline.value;
    pane.background.value;
    if (loaded.some((data, i) => data !== planes[i])) known.clear();
    planes = loaded;
    latest.request(pane.marks.value);
  });
  return {
    means,
    stop() {
      stopEffect();
      latest.stop();
    },
  };
}

/** Returns what the samples of a mark depend on. */
function placeOf({ id, kind, from, via, to, width }: Mark): unknown {
  return [id, kind, from, via, to, width];
}
