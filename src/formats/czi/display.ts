/** How ZEN shows a channel: `DisplaySetting`, and what the image says of the channel itself. */
import { type ChannelDisplay, hexColor, SAMPLE_DISPLAYS } from '../../metadata/colors.js';
import type { CziChannel } from './arrange.js';
import type { RawDisplay, RawMetadata } from './parse.js';

/** Largest values of the types of pixels: `Low` and `High` of the display are parts of them. */
const FULL = new Map([
  ['Gray8', 255],
  ['Bgr24', 255],
  ['Bgra32', 255],
  ['Gray16', 65_535],
  ['Bgr48', 65_535],
]);

/** The setting of the display for a channel, found by id, else by place when there are as many as channels. */
export function displayFor(c: number, { channels, display }: RawMetadata): RawDisplay | undefined {
  const own = channels[c];
  const byId = own && own.id !== '' ? display.find(({ id }) => id === own.id) : undefined;
  return byId ?? (display.length === channels.length ? display[c] : undefined);
}

/**
 * The color that ZEN shows a channel in, else the one that it was recorded with; red, green and blue for the samples of
 * color pixels.
 */
export function channelDisplay({ c, type }: CziChannel, sample: number, raw: RawMetadata): ChannelDisplay {
  const own = raw.channels[c];
  const shown = displayFor(c, raw);
  const isTransmitted = [own, shown].some((one) => one?.illumination === 'Transmitted');
  return {
    color: type.samples > 1 ? SAMPLE_DISPLAYS[sample]?.color : (hexColor(shown?.color) ?? hexColor(own?.color)),
    window: shown && windowOf(shown, type.name),
    role: isTransmitted ? 'transmitted' : undefined,
  };
}

function windowOf({ low, high, pixelType }: RawDisplay, stored: string): ChannelDisplay['window'] {
  const full = FULL.get(pixelType) ?? FULL.get(stored);
  if (full === undefined || (low === undefined && high === undefined)) return undefined;
  // Adding 0 turns -0, which the vendor writes, into 0.
  return { start: (low ?? 0) * full + 0, end: (high ?? 1) * full };
}
