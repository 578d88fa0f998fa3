import type { ChannelInfo } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { channelsShown, SAMPLE_DISPLAYS } from '../../metadata/colors.js';
import { channelsNamed, channelsNumbered, cleanName } from '../../metadata/names.js';
import type { PageLayout } from '../../tiff/types.js';

/** Photometric interpretations (tag 262) whose samples have names. YCbCr is decoded to RGB. */
const SAMPLE_NAMES: Record<number, readonly string[]> = {
  2: ['R', 'G', 'B', 'A'],
  5: ['C', 'M', 'Y', 'K'],
  6: ['R', 'G', 'B', 'A'],
};

/** Channels of a page by itself: R, G, B(, A) for colour pages, else `CH1`, `CH2`, … one per sample. */
export function sampleChannels(layout: Pick<PageLayout, 'photometric' | 'samplesPerPixel'>): ChannelInfo[] {
  const names = SAMPLE_NAMES[layout.photometric];
  const count = layout.samplesPerPixel;
  if (!names || count < 3 || count > names.length) return channelsNumbered(count);
  const channels = names.slice(0, count).map((name) => ({ name }));
  return isCmyk(layout) ? channels : channelsShown(channels, SAMPLE_DISPLAYS);
}

function isCmyk({ photometric }: Pick<PageLayout, 'photometric'>): boolean {
  return photometric === 5;
}

/**
 * Channels of an acquisition whose channels have pages of their own: their names, and those of the samples behind them
 * where a page has several (`DAPI R`, `DAPI G`, …).
 * @param samples samples per pixel of each channel
 * @param names the file's own names, by channel; may be shorter
 * @throws AcqError `decode_failed` for more channels than are read
 */
export function pageChannels(
  photometric: number,
  samples: readonly number[],
  names: readonly (string | undefined)[] = [],
): ChannelInfo[] {
  const total = samples.reduce((sum, count) => sum + count, 0);
  if (total > LIMITS.channels)
    throw decodeFailed(`the pages make ${total} channels; at most ${LIMITS.channels} are read`);
  const all = samples.flatMap((count, index): ChannelInfo[] => {
    const own = cleanName(names[index]);
    if (count === 1) return [{ name: own }];
    const prefix = own || (samples.length > 1 ? `CH${index + 1}` : '');
    return sampleChannels({ photometric, samplesPerPixel: count }).map((channel) => ({
      ...channel,
      name: `${prefix} ${channel.name}`.trim(),
    }));
  });
  return channelsShown(channelsNamed(all.map(({ name }) => name)), all);
}
