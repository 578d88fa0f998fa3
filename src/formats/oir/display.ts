/** How the vendor's software shows a channel: a look-up table, one XML document for each. */
import { type ChannelDisplay, SAMPLE_DISPLAYS } from '../../metadata/colors.js';
import type { RawDocument } from './documents.js';
import type { Recording } from './recording.js';

/**
 * The color of a linear table that starts at black: its last entry. `lut:data` holds `RRGGBBAA` in hexadecimal digits for
 * each of 256 or 65,536 values; the XML is not parsed for it.
 */
export function lutColor({ text }: RawDocument): string | undefined {
  const isLinear = /<(?:\w+:)?linear>\s*(true|1)\s*</i.test(text);
  const [, data = ''] = /<(?:\w+:)?data>\s*([\da-f]*)\s*</i.exec(text) ?? [];
  if (!isLinear || data.length < 16 || data.length % 8 !== 0 || !/^0{6}/.test(data)) return undefined;
  const last = data.slice(-8, -2).toUpperCase();
  return last === '000000' ? undefined : `#${last}`;
}

/** Planes of a color camera are called `R`, `G` and `B`; other channels have the color of their look-up table. */
export function channelDisplays(
  { luts, first }: Recording,
  ids: readonly string[],
  names: readonly (string | undefined)[],
): ChannelDisplay[] {
  const isColor = first?.geometry?.colorType === 'RGB';
  return ids.map((id, i) => {
    const sample = isColor ? ['R', 'G', 'B'].indexOf(names[i] ?? '') : -1;
    return { color: sample < 0 ? luts.get(id) : SAMPLE_DISPLAYS[sample]?.color };
  });
}
