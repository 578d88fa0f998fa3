import type { ChannelInfo } from '../../../acquisition.js';
import { decodeFailed } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import { type ChannelDisplay, channelsShown, rgbColor } from '../../../metadata/colors.js';
import { channelsNamed } from '../../../metadata/names.js';
import type { PageLayout } from '../../../tiff/types.js';
import { plural } from '../../../wording.js';
import { pageChannels } from '../channels.js';
import type { RawChannel, RawImage, RawPixels } from './ome-xml.js';

/** How the channels of OME-XML lie on pages: some channels of pages, each with one or more samples. */
export interface ChannelPlan {
  /** Samples of a pixel of each channel that has pages of its own. */
  samples: number[];
  warning: string | undefined;
}

/**
 * SizeC counts samples: an RGB page is one `Channel` with three of them. Writers disagree on it, so the samples that the
 * pages have decide how SizeC is meant.
 * @throws AcqError `decode_failed` for more channels than there can be
 */
export function planChannels(pixels: RawPixels, pageSamples: number): ChannelPlan {
  const sizeC = Math.max(1, pixels.sizes.C);
  if (sizeC > LIMITS.channels) throw decodeFailed(`OME image: claims ${sizeC} channels`);
  const each = (count: number, samples: number) => new Array<number>(count).fill(samples);
  if (pageSamples === 1) return { samples: each(sizeC, 1), warning: undefined };
  const declared = pixels.channels.map(({ samples }) => Math.max(1, samples));
  const sum = declared.reduce((total, samples) => total + samples, 0);
  if (sum === sizeC && declared.includes(pageSamples)) return { samples: declared, warning: undefined };
  const highest = pixels.tiffData.reduce((most, { c }) => Math.max(most, c), 0);
  if (sizeC % pageSamples === 0 && highest < sizeC / pageSamples) {
    return { samples: each(sizeC / pageSamples, pageSamples), warning: undefined };
  }
  return {
    samples: each(sizeC, pageSamples),
    warning:
      `The OME-XML says ${plural(sizeC, 'channel')} (SizeC), but the pages have ${pageSamples} samples per pixel. ` +
      `Showing ${plural(sizeC * pageSamples, 'channel')}.`,
  };
}

/** All channels: their names, those of samples, or `CH1` …, and how the file shows them. */
export function describeChannels(image: RawImage, plan: ChannelPlan, layout: PageLayout): ChannelInfo[] {
  const { channels } = image.pixels;
  const total = plan.samples.reduce((sum, samples) => sum + samples, 0);
  const raw = channels.length > 0 ? channels.map(({ name }) => name) : image.logicalNames;
  const own = pageChannels(layout.photometric, plan.samples, raw.length === plan.samples.length ? raw : []);
  const named = raw.length === total ? channelsNamed(raw) : own;
  // A sample of a color page has its own color, whatever the channel is given.
  const stated = channels.length === plan.samples.length ? channels.map(displayOf) : [];
  const bySample = plan.samples.flatMap((samples, i) => new Array<ChannelDisplay | undefined>(samples).fill(stated[i]));
  return channelsShown(
    named,
    own.map(({ color }, i) => ({ ...bySample[i], ...(color === undefined ? {} : { color }) })),
  );
}

function displayOf({ color, illumination }: RawChannel): ChannelDisplay {
  return { color: omeColor(color), role: illumination === 'Transmitted' ? 'transmitted' : undefined };
}

/**
 * `RRGGBBAA`. Fully transparent values are no colors: among them is the default of the schemas of 2010 and 2011,
 * -2147483648, which was meant to be white and is transparent red.
 */
function omeColor(value: number | undefined): string | undefined {
  if (value === undefined || !Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32) return undefined;
  if ((value & 255) === 0) return undefined;
  return rgbColor((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255);
}
