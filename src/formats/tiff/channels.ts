import type { ChannelInfo } from '../../acquisition.js';
import { channelsNumbered } from '../../metadata/names.js';
import type { PageLayout } from '../../tiff/types.js';

/** Photometric interpretations (tag 262) whose samples have names. YCbCr is decoded to RGB. */
const SAMPLE_NAMES: Record<number, readonly string[]> = {
  2: ['R', 'G', 'B', 'A'],
  5: ['C', 'M', 'Y', 'K'],
  6: ['R', 'G', 'B', 'A'],
};

/** Channels of a page by itself: R, G, B(, A) for colour pages, else `CH1`, `CH2`, … one per sample. */
export function sampleChannels(layout: PageLayout): ChannelInfo[] {
  const names = SAMPLE_NAMES[layout.photometric];
  const count = layout.samplesPerPixel;
  if (!names || count < 3 || count > names.length) return channelsNumbered(count);
  return names.slice(0, count).map((name) => ({ name }));
}
