import { lutTable } from '../luts/luts.ts';
import type { ChannelDisplay } from '../model/display.ts';
import type { ChannelView } from '../model/document.ts';
import { formatEnds } from '../model/number-text.ts';
import { tableIndex } from '../render/colors.ts';

/** The name of a channel, and the colors of its values from min to max. */
export function ChannelCaption({ channel }: { readonly channel: ChannelView }) {
  const display = channel.display.value;
  const [low, high] = formatEnds(display.min, display.max);
  const far = channel.far.value;
  const ready = channel.load.value.state === 'ready';
  return (
    <span class="image-caption">
      <span class="image-caption-name">{channel.name}</span>
      {far && !far.exact.value && <span class="image-caption-note">Overview – zoom in for single samples</span>}
      {ready && (
        <span class="image-caption-range">
          <span>{low}</span>
          <span class="image-caption-colors" style={{ backgroundImage: gradient(display) }} />
          <span>{high}</span>
        </span>
      )}
    </span>
  );
}

const STOPS = 16;

/** Returns the colors of the values from min to max. */
function gradient(display: ChannelDisplay): string {
  const { lut, invert, min, max } = display;
  const table = lutTable(lut, invert);
  const stops = Array.from({ length: STOPS + 1 }, (_, i) => {
    const at = 3 * tableIndex(min + (i / STOPS) * (max - min), display);
    return `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
  });
  return `linear-gradient(to right, ${stops.join(', ')})`;
}
