/** A projection has a contrast of its own: its samples are larger than those of single planes. */
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { change } from '../contrast/adjust.ts';
import type { ValueRange } from '../model/display.ts';
import type { ChannelView, Pane } from '../model/document.ts';

type ProjectedResponse = Pick<OpenResponse, 'projection'>;

/** Ranges that channels had, by projection. */
const ranges = new WeakMap<ChannelView, Map<string, ValueRange>>();

/**
 * Remembers the ranges of the shown planes. The result takes what is shown next, gives channels the range that they had with
 * that projection, and returns the channels that keep their contrast.
 */
export function rememberRanges(shown: Pane, before: ProjectedResponse) {
  const old = new Map(shown.channels.map((channel) => [channel.index, channel] as const));
  const had = new Map(shown.channels.map(({ index, display }) => [index, display.value] as const));
  return (next: { readonly settled: readonly ChannelView[] }, after: ProjectedResponse): ChannelView[] => {
    if (keyOf(before) === keyOf(after)) return [...next.settled];
    // That of the planes before, by which the next ones must not be judged.
    for (const { stackRange } of [...shown.channels, ...next.settled]) stackRange.value = null;
    return next.settled.filter((channel) => {
      const { min, max } = had.get(channel.index) ?? channel.display.value;
      const known = new Map(ranges.get(old.get(channel.index) ?? channel)).set(keyOf(before), { min, max });
      ranges.set(channel, known);
      const again = known.get(keyOf(after));
      if (again) change(channel, again);
      return again !== undefined;
    });
  };
}

const keyOf = ({ projection }: ProjectedResponse) => JSON.stringify(projection ?? {});
