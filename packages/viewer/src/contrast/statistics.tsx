import { type ChannelStats, DEVIATION_TITLE, NAN_COLOR } from '../model/display.ts';
import type { ChannelView } from '../model/document.ts';
import { formatNumber, formatPercent } from '../model/number-text.ts';
import { cssColor } from './shade.ts';

/** Statistics of all samples, and the fraction of them that is clipped by the range. */
export function Statistics({ channel, stats }: { readonly channel: ChannelView; readonly stats: ChannelStats }) {
  const { min, max } = channel.display.value;
  const { count, nonFinite } = stats;
  return (
    <dl class="contrast-facts">
      <Entry name="Min" value={formatNumber(stats.min)} />
      <Entry name="Max" value={formatNumber(stats.max)} />
      <Entry name="Mean" value={formatNumber(stats.mean)} />
      <Entry name="SD" title={DEVIATION_TITLE} value={formatNumber(stats.standardDeviation)} />
      <Entry name="Below min" value={formatPercent(stats.countBelow(min), count)} />
      <Entry name="Above max" value={formatPercent(stats.countAbove(max), count)} />
      {nonFinite > 0 && (
        <div class="contrast-nan">
          <dt>
            <Swatch color={NAN_COLOR} /> NaN or infinite
          </dt>
          <dd>{formatNumber(nonFinite)}</dd>
        </div>
      )}
    </dl>
  );
}

interface EntryProps {
  readonly name: string;
  readonly value: string;
  readonly title?: string;
}

function Entry({ name, value, title }: EntryProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function Swatch({ color }: { readonly color: readonly [number, number, number] }) {
  return <span class="contrast-swatch" aria-hidden="true" style={{ backgroundColor: cssColor(color) }} />;
}
