import type { ChannelInfo } from '../../../acquisition.js';
import { decodeFailed } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import { channelsNamed } from '../../../metadata/names.js';
import type { PageLayout } from '../../../tiff/types.js';
import { pageChannels } from '../channels.js';
import type { RawImage, RawPixels } from './ome-xml.js';

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
    warning: `OME-XML says SizeC=${sizeC} with one sample each, but the pages have ${pageSamples} samples per pixel`,
  };
}

/** Names of all channels: those of the metadata, the colours of samples, `CH1` … */
export function nameChannels(image: RawImage, plan: ChannelPlan, layout: PageLayout): ChannelInfo[] {
  const { channels } = image.pixels;
  const total = plan.samples.reduce((sum, samples) => sum + samples, 0);
  const raw = channels.length > 0 ? channels.map(({ name }) => name) : image.logicalNames;
  if (raw.length === total) return channelsNamed(raw);
  return pageChannels(layout.photometric, plan.samples, raw.length === plan.samples.length ? raw : []);
}
