/** Choice of the color table of a channel. */
import { LUTS, lutTable } from '../luts/luts.ts';
import type { ChannelView } from '../model/document.ts';
import { change, type Target } from './adjust.ts';
import { LutStrip } from './lut-strip.tsx';

/** The color of a channel; where `choice` is true, pressing it opens the list of tables. */
export function LutDot({ channel, choice }: { readonly channel: ChannelView; readonly choice: boolean }) {
  const { lut, invert } = channel.display.value;
  return (
    <span class="contrast-dot">
      <span aria-hidden="true" style={{ backgroundImage: dotColors(lut, invert) }} />
      {choice && <LutSelect channel={channel} title="Color table" />}
    </span>
  );
}

/** Returns the colors of a table from low at the left to high; a ramp to one color is mostly that color. */
function dotColors(lut: string, invert: boolean): string {
  const table = lutTable(lut, invert);
  const stops = [96, 160, 224, 255].map((index) => `rgb(${table.subarray(3 * index, 3 * index + 3).join(' ')})`);
  return `linear-gradient(to right, ${stops.join(', ')})`;
}

function LutSelect({ channel, title }: { readonly channel: ChannelView; readonly title?: string }) {
  return (
    <select
      aria-label={`Colors of ${channel.name}`}
      title={title}
      value={channel.display.value.lut}
      onChange={(event) => change(channel, { lut: event.currentTarget.value })}
    >
      {tableChoices(channel).map(({ id, label }) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  );
}

export function Table({ target: { channel } }: { readonly target: Target }) {
  const { lut, invert } = channel.display.value;
  return (
    <div class="contrast-row">
      <LutSelect channel={channel} />
      <LutStrip lut={lut} invert={invert} />
      <label class="contrast-check">
        <input
          type="checkbox"
          checked={invert}
          aria-label={`Invert ${channel.name}`}
          onChange={(event) => change(channel, { invert: event.currentTarget.checked })}
        />
        Invert
      </label>
    </div>
  );
}

/** Returns the tables that a channel can have: the color of its file first, when no other table is that color. */
function tableChoices({ firstLut, display }: ChannelView): readonly { readonly id: string; readonly label: string }[] {
  const colors = new Set([firstLut, display.value.lut].filter((id) => id.startsWith('#')));
  return [...[...colors].map((id) => ({ id, label: id === firstLut ? 'Color of the file' : id })), ...LUTS];
}
