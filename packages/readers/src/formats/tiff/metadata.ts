/** Channels, colors and pixel sizes that a page has without the metadata of any program. */

import { decodeFailed, ignoreCorrupted } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ChannelInfo, Step } from '../../model/acquisition.js';
import { channelsShown, rampColor, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import { channelsNamed, channelsNumbered, cleanName } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import { TAG } from '../../tiff/tags.js';
import type { PageLayout, TiffPage } from '../../tiff/types.js';
import { readNumber } from './parse.js';

/** Photometric interpretations (tag 262). */
const PALETTE = 3;
const CMYK = 5;

/** Names of samples by photometric interpretation. YCbCr (6) is decoded to RGB. */
const SAMPLE_NAMES: Record<number, readonly string[]> = {
  2: ['R', 'G', 'B', 'A'],
  [CMYK]: ['C', 'M', 'Y', 'K'],
  6: ['R', 'G', 'B', 'A'],
};

/** Returns the channels of a single page: R, G, B(, A) for a color page, otherwise `CH1`, `CH2`, … one per sample. */
export function sampleChannels(layout: Pick<PageLayout, 'photometric' | 'samplesPerPixel'>): ChannelInfo[] {
  const names = SAMPLE_NAMES[layout.photometric];
  const count = layout.samplesPerPixel;
  if (!names || count < 3 || count > names.length) return channelsNumbered(count);
  const channels = names.slice(0, count).map((name) => ({ name }));
  return layout.photometric === CMYK ? channels : channelsShown(channels, SAMPLE_DISPLAYS);
}

/**
 * Returns the channels of an acquisition that stores each channel on its own pages. If those pages have several samples
 * per pixel, each sample is a channel with the name of both (`DAPI R`, `DAPI G`, …).
 * @param samples samples per pixel of each channel
 * @param names names from the file, by channel; may be shorter
 * @throws AcqError `decode_failed` if there are more channels than the limit
 */
export function pageChannels(
  photometric: number,
  samples: readonly number[],
  names: readonly (string | undefined)[] = [],
): ChannelInfo[] {
  const total = samples.reduce((sum, count) => sum + count, 0);
  if (total > LIMITS.channels)
    throw decodeFailed(`the pages have ${grouped(total)} channels; the limit is ${grouped(LIMITS.channels)}`);
  const channels = samples.flatMap((count, index): ChannelInfo[] => {
    const name = cleanName(names[index]);
    if (count === 1) return [{ name }];
    const prefix = name || (samples.length > 1 ? `CH${index + 1}` : '');
    return sampleChannels({ photometric, samplesPerPixel: count }).map((channel) => ({
      ...channel,
      name: `${prefix} ${channel.name}`.trim(),
    }));
  });
  return channelsShown(channelsNamed(channels.map(({ name }) => name)), channels);
}

/**
 * Returns the color of a page whose color table (ColorMap) runs from black to that color: some programs export a channel
 * this way. The table lists all red values, then all green, then all blue, 16 bits each.
 */
export function paletteColor(page: TiffPage): string | undefined {
  const { photometric, bits, samplesPerPixel } = page.layout;
  if (photometric !== PALETTE || samplesPerPixel !== 1 || (bits !== 8 && bits !== 16)) return undefined;
  const entries = 2 ** bits;
  const values = ignoreCorrupted(() => page.numbers(TAG.colorMap));
  if (values?.length !== 3 * entries) return undefined;
  // Some programs scale bytes by 257, some by 256. The high byte is the same.
  const highByte = (index: number) => values[index]! >> 8;
  return rampColor(entries, (i, component) => highByte(component * entries + i));
}

/** Micrometers per ResolutionUnit: inch, cm, and two values that some microscope software writes (mm, µm). */
const UNIT_MICROMETERS: Record<number, number> = { 2: 25_400, 3: 10_000, 4: 1_000, 5: 1 };

/** Dots per inch that programs write when they do not know the pixel size. */
const PRINT_DPI = [1, 72, 75, 90, 96, 100, 120, 144, 150, 200, 240, 300, 360, 400, 600, 720, 1_200, 2_400];

/** Returns the micrometers per ResolutionUnit; `undefined` for pages that have none. */
export function resolutionUnit(page: TiffPage): number | undefined {
  return UNIT_MICROMETERS[readNumber(page, TAG.resolutionUnit) ?? 0];
}

/**
 * Returns the pixel size from XResolution and YResolution, for files with no other calibration. Print resolutions (72,
 * 96, 150, 300, 600 dpi …), 1 per unit, and 10,000 per cm (exactly 1 µm, which Bio-Formats and Olympus exports write when
 * they do not know the size) are placeholders and give `Pixels`.
 */
export function resolutionSteps(page: TiffPage): { X: Step; Y: Step } {
  const micrometers = resolutionUnit(page);
  const x = readNumber(page, TAG.xResolution);
  const y = readNumber(page, TAG.yResolution);
  if (micrometers === undefined || isPlaceholder(x, micrometers) || isPlaceholder(y, micrometers)) {
    return { X: defaultStep(), Y: defaultStep() };
  }
  return { X: pixelStep(x, micrometers), Y: pixelStep(y, micrometers) };
}

function pixelStep(perUnit: number | undefined, micrometers: number): Step {
  return makeStep(micrometers / (perUnit ?? Number.NaN), 'micrometer') ?? defaultStep();
}

function isPlaceholder(perUnit: number | undefined, micrometers: number): boolean {
  if (perUnit === undefined || !(perUnit > 0) || perUnit === 1) return true;
  return (micrometers === 10_000 && perUnit === 10_000) || isPrintResolution(perUnit, micrometers);
}

/** True for the resolutions that graphics programs write when they do not know the pixel size. */
export function isPrintResolution(perUnit: number, micrometers: number): boolean {
  const dpi = (perUnit / micrometers) * 25_400;
  // A tolerance of 0.05 %: 300 dpi is also written as 118.11 per cm.
  return PRINT_DPI.some((print) => Math.abs(dpi - print) < print * 5e-4);
}
