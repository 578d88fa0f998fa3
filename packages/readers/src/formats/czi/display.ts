/** How ZEN shows a channel: from its `DisplaySetting`, else from the channel in the image. */
import { type ChannelDisplay, hexColor, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import type { CziChannel } from './arrange.js';
import type { RawDisplay, RawMetadata } from './metadata-xml.js';

/** Largest value of each pixel type. `Low` and `High` of the display are fractions of it. */
const MAX_VALUES = new Map([
  ['Gray8', 255],
  ['Bgr24', 255],
  ['Bgra32', 255],
  ['Gray16', 65_535],
  ['Bgr48', 65_535],
]);

/** Finds the display setting of a channel by id, else by index when there is one per channel. */
export function findDisplay(c: number, { channels, display }: RawMetadata): RawDisplay | undefined {
  const id = channels[c]?.id ?? '';
  const byId = id === '' ? undefined : display.find((setting) => setting.id === id);
  return byId ?? (display.length === channels.length ? display[c] : undefined);
}

/**
 * Returns the color that ZEN shows a channel in, else the one it was recorded with. Samples of color pixels are red, green
 * and blue.
 */
export function channelDisplay({ c, type }: CziChannel, sample: number, raw: RawMetadata): ChannelDisplay {
  const channel = raw.channels[c];
  const display = findDisplay(c, raw);
  const isTransmitted = [channel, display].some((source) => source?.illumination === 'Transmitted');
  return {
    color: type.samples > 1 ? SAMPLE_DISPLAYS[sample]?.color : (hexColor(display?.color) ?? hexColor(channel?.color)),
    window: display && toWindow(display, type.name),
    role: isTransmitted ? 'transmitted' : undefined,
  };
}

function toWindow({ low, high, pixelType }: RawDisplay, stored: string): ChannelDisplay['window'] {
  const max = MAX_VALUES.get(pixelType) ?? MAX_VALUES.get(stored);
  if (max === undefined || (low === undefined && high === undefined)) return undefined;
  // Adding 0 turns -0, which the vendor writes, into 0.
  return { start: (low ?? 0) * max + 0, end: (high ?? 1) * max };
}
