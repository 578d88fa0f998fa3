/** How the vendor's software shows channels. */
import { type ChannelDisplay, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import type { Recording } from './recording.js';

/** Returns red, green and blue for the planes of a color camera, else the colors of the look-up tables. */
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
