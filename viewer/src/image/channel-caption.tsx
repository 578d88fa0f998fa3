import { lutTable } from '../luts/luts.ts';
import type { ChannelView } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';

/** The name of a channel, and the colors of its values from min to max. */
export function ChannelCaption({ channel }: { readonly channel: ChannelView }) {
  const { lut, invert, min, max } = channel.display.value;
  const ready = channel.load.value.state === 'ready';
  return (
    <span class="image-caption">
      <span class="image-caption-name">{channel.name}</span>
      {ready && (
        <span class="image-caption-range">
          <span>{formatNumber(min, 5)}</span>
          <span class="image-caption-colors" style={{ backgroundImage: gradient(lut, invert) }} />
          <span>{formatNumber(max, 5)}</span>
        </span>
      )}
    </span>
  );
}

const STOPS = 16;

function gradient(lut: string, invert: boolean): string {
  const table = lutTable(lut, invert);
  const stops = Array.from({ length: STOPS + 1 }, (_, i) => {
    const at = 3 * Math.round((255 * i) / STOPS);
    return `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
  });
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
