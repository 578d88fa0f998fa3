import { type ChannelStats, NAN_COLOR } from '../model/display.ts';
import type { ChannelView } from '../model/document.ts';
import { factText, percentText } from './number-text.ts';
import { cssColor } from './shade.ts';

/** Of all samples, and how many of them the range does not tell apart. */
export function Facts({ channel, stats }: { readonly channel: ChannelView; readonly stats: ChannelStats }) {
  const { min, max } = channel.display.value;
  const { count, nonFinite } = stats;
  return (
    <dl class="contrast-facts">
      <Fact name="Min" value={factText(stats.min)} />
      <Fact name="Max" value={factText(stats.max)} />
      <Fact name="Mean" value={factText(stats.mean)} />
      <Fact name="σ" value={factText(stats.standardDeviation)} />
      <Fact name="Below min" value={percentText(stats.countBelow(min), count)} />
      <Fact name="Above max" value={percentText(stats.countAbove(max), count)} />
      {nonFinite > 0 && (
        <div class="contrast-nan">
          <dt>
            <Swatch color={NAN_COLOR} /> NaN or infinite
          </dt>
          <dd>{nonFinite.toLocaleString('en')}</dd>
        </div>
      )}
    </dl>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function Swatch({ color }: { readonly color: readonly [number, number, number] }) {
  return <span class="contrast-swatch" aria-hidden="true" style={{ backgroundColor: cssColor(color) }} />;
}
