import { type ChannelStats, NAN_COLOR } from '../model/display.ts';
import type { ChannelView } from '../model/document.ts';
import { percentText, shortText } from './number-text.ts';
import { cssColor } from './shade.ts';

/** Statistics of all samples, and the fraction of them that is clipped by the range. */
export function Statistics({ channel, stats }: { readonly channel: ChannelView; readonly stats: ChannelStats }) {
  const { min, max } = channel.display.value;
  const { count, nonFinite } = stats;
  return (
    <dl class="contrast-facts">
      <Entry name="Min" value={shortText(stats.min)} />
      <Entry name="Max" value={shortText(stats.max)} />
      <Entry name="Mean" value={shortText(stats.mean)} />
      <Entry name="σ" value={shortText(stats.standardDeviation)} />
      <Entry name="Below min" value={percentText(stats.countBelow(min), count)} />
      <Entry name="Above max" value={percentText(stats.countAbove(max), count)} />
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

function Entry({ name, value }: { readonly name: string; readonly value: string }) {
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
