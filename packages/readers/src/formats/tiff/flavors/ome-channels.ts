import { decodeFailed } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { grouped, plural } from '../../../base/wording.js';
import type { ChannelInfo, ChannelOptics } from '../../../model/acquisition.js';
import { type ChannelDisplay, channelsShown } from '../../../model/metadata/colors.js';
import { channelsNamed } from '../../../model/metadata/names.js';
import { omeDisplay, omeOptics, type RawOmeImage, type RawPixels } from '../../../model/metadata/ome-document.js';
import type { PageLayout } from '../../../tiff/types.js';
import { pageChannels } from '../metadata.js';

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
    throw decodeFailed(`the OME image has ${grouped(sizeC)} channels; the limit is ${grouped(LIMITS.channels)}`);
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
export function omeChannels(image: RawOmeImage, plan: ChannelPlan, layout: PageLayout): ChannelInfo[] {
  const { channels } = image.pixels;
  const total = plan.samples.reduce((sum, samples) => sum + samples, 0);
  const names = channels.length > 0 ? channels.map(({ name }) => name) : image.logicalNames;
  const onPages = pageChannels(layout.photometric, plan.samples, names.length === plan.samples.length ? names : []);
  const named = names.length === total ? channelsNamed(names) : onPages;
  // A sample of a color page keeps its own color, even if the channel has one.
  const displays = channels.length === plan.samples.length ? channels.map(omeDisplay) : [];
  const bySample = plan.samples.flatMap((samples, i) =>
    new Array<ChannelDisplay | undefined>(samples).fill(displays[i]),
  );
  const shown = channelsShown(
    named,
    onPages.map(({ color }, i) => ({ ...bySample[i], ...(color === undefined ? {} : { color }) })),
  );
  const optics = omeOptics(image, plan.samples.length);
  const opticsBySample = plan.samples.flatMap((samples, i) => new Array<ChannelOptics>(samples).fill(optics[i]!));
  return shown.map((channel, i) => ({ ...channel, ...opticsBySample[i] }));
}
