import type { ChannelInfo } from '../../../acquisition.js';
import { decodeFailed } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import { type ChannelDisplay, channelsShown, rgbColor } from '../../../metadata/colors.js';
import { channelsNamed } from '../../../metadata/names.js';
import type { PageLayout } from '../../../tiff/types.js';
import { grouped, plural } from '../../../wording.js';
import { pageChannels } from '../metadata.js';
import type { RawChannel, RawImage, RawPixels } from './ome-xml.js';

/** How the channels of OME-XML are stored: as channels with pages of their own, each with one or more samples. */
export interface ChannelPlan {
  /** Samples per pixel of each channel that has pages of its own. */
  samples: number[];
  warning: string | undefined;
}

/**
 * SizeC counts samples: an RGB page is one `Channel` with three of them. Writers disagree on this, so the samples per
 * pixel of the pages decide what SizeC means.
 * @throws AcqError `decode_failed` if there are more channels than the limit
 */
export function planChannels(pixels: RawPixels, pageSamples: number): ChannelPlan {
  const sizeC = Math.max(1, pixels.sizes.C);
  if (sizeC > LIMITS.channels)
    throw decodeFailed(`the OME image has ${grouped(sizeC)} channels; the limit is ${LIMITS.channels}`);
  const repeat = (count: number, samples: number) => new Array<number>(count).fill(samples);
  if (pageSamples === 1) return { samples: repeat(sizeC, 1), warning: undefined };
  const declared = pixels.channels.map(({ samples }) => Math.max(1, samples));
  const sum = declared.reduce((total, samples) => total + samples, 0);
  if (sum === sizeC && declared.includes(pageSamples)) return { samples: declared, warning: undefined };
  const maxC = pixels.tiffData.reduce((max, { c }) => Math.max(max, c), 0);
  if (sizeC % pageSamples === 0 && maxC < sizeC / pageSamples) {
    return { samples: repeat(sizeC / pageSamples, pageSamples), warning: undefined };
  }
  return {
    samples: repeat(sizeC, pageSamples),
    warning:
      `The OME-XML says ${plural(sizeC, 'channel')} (SizeC), but the pages have ${pageSamples} samples per pixel. ` +
      `Showing ${plural(sizeC * pageSamples, 'channel')}.`,
  };
}

/** Returns all channels with their names (of channels or of samples, or `CH1`, …) and their displays. */
export function omeChannels(image: RawImage, plan: ChannelPlan, layout: PageLayout): ChannelInfo[] {
  const { channels } = image.pixels;
  const total = plan.samples.reduce((sum, samples) => sum + samples, 0);
  const names = channels.length > 0 ? channels.map(({ name }) => name) : image.logicalNames;
  const onPages = pageChannels(layout.photometric, plan.samples, names.length === plan.samples.length ? names : []);
  const named = names.length === total ? channelsNamed(names) : onPages;
  // A sample of a color page keeps its own color, even if the channel has one.
  const displays = channels.length === plan.samples.length ? channels.map(toDisplay) : [];
  const bySample = plan.samples.flatMap((samples, i) =>
    new Array<ChannelDisplay | undefined>(samples).fill(displays[i]),
  );
  return channelsShown(
    named,
    onPages.map(({ color }, i) => ({ ...bySample[i], ...(color === undefined ? {} : { color }) })),
  );
}

function toDisplay({ color, illumination }: RawChannel): ChannelDisplay {
  return { color: toColor(color), role: illumination === 'Transmitted' ? 'transmitted' : undefined };
}

/**
 * Converts `RRGGBBAA`. Fully transparent values are not colors. One of them is the default of the schemas of 2010 and
 * 2011, -2147483648, which was meant to be white and is transparent red.
 */
function toColor(value: number | undefined): string | undefined {
  if (value === undefined || !Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32) return undefined;
  if ((value & 255) === 0) return undefined;
  return rgbColor((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255);
}
