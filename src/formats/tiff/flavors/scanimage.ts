import type { SceneInfo, Step } from '../../../acquisition.js';
import { LIMITS } from '../../../io/limits.js';
import { type ChannelDisplay, channelsShown } from '../../../metadata/colors.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../metadata/dates.js';
import { channelsNamed } from '../../../metadata/names.js';
import {
  channelDisplays,
  countRois,
  parseScanImageText,
  type ScanImageHeader,
  savedChannels,
} from '../../../metadata/scanimage.js';
import { defaultStep, makeStep } from '../../../metadata/steps.js';
import { TAG } from '../../../tiff/tags.js';
import type { PageLayout } from '../../../tiff/types.js';
import { grouped } from '../../../wording.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { readText } from '../parse.js';
import { findChannels, readEpoch } from './scanimage-channels.js';
import { type Frames, sortFrames } from './scanimage-frames.js';
import { findPages } from './scanimage-pages.js';
import { type ScanSettings, toScanSettings } from './scanimage-settings.js';
import { readHeaderText, readRoiText } from './scanimage-text.js';

/** ScanImage 3, 4, 5 and later. See `docs/formats/scanimage.md`. */
export const scanimageFlavor: Flavor = {
  id: 'scanimage',
  label: 'ScanImage',
  detect: (context) => readHeaderText(context) !== undefined,
  arrange: async (context) => {
    const header = parseScanImageText(readHeaderText(context) ?? '');
    return header && arrangeScan(context, header);
  },
};

function arrangeScan(context: FlavorContext, header: ScanImageHeader): Arrangement {
  const { file, page, notes } = context;
  const { layout } = page;
  const pages = findPages(file, page);
  const channels = findChannels(file, header, pages.count);
  const corrected = correctLinePeriod(toScanSettings(header, layout.height), layout.height);
  const { settings } = corrected;
  const frames = sortFrames(settings.order, Math.floor(pages.count / channels.names.length));
  const joined = joinFrames(settings, header, frames, layout);
  const regions = countRegions(context, header);
  for (const note of [pages.note, channels.note, corrected.note, ...frames.notes, joined.note]) {
    if (note !== undefined) notes.add(note);
  }
  if (regions > 1) {
    notes.add(
      `The frames show ${grouped(regions)} regions of interest, one below the other. Showing the whole image, without a pixel size.`,
    );
  }
  const lines = joined.isOneScan ? layout.height * frames.T : layout.height;
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: channelsShown(channelsNamed(channels.names), findDisplays(header, channels.names.length)),
    sizes: { T: joined.isOneScan ? 1 : frames.T, Z: frames.Z, Y: lines, X: layout.width },
    steps: toSteps(settings, frames, layout, regions > 1),
    ...readClock(context, header),
    reference: null,
    warnings: [],
  };
  const locate = (channel: number, t: number, z: number) => ({
    ...pages.locate(frames.index(t, z) * channels.names.length + channel),
    sample: 0,
  });
  return {
    scenes: [scene],
    locate: ({ channel, t, z }) =>
      joined.isOneScan
        ? { pieces: frames.T, pieceRows: layout.height, piece: (index) => locate(channel, index, z) }
        : locate(channel, t, z),
  };
}

/** Returns none if the pages have other channels than the header says. */
function findDisplays(header: ScanImageHeader, channels: number): ChannelDisplay[] {
  const saved = savedChannels(header) ?? [];
  return saved.length === channels ? channelDisplays(header, saved) : [];
}

/**
 * Header versions disagree on the unit of the line period. The frame period shows which one it is: the lines of a frame
 * take a part of it, and never a thousand times as long.
 */
function correctLinePeriod(settings: ScanSettings, lines: number): { settings: ScanSettings; note?: string } {
  const { linePeriod, framePeriod } = settings;
  if (linePeriod === undefined || framePeriod === undefined) return { settings };
  const share = (linePeriod * lines) / framePeriod;
  const factor = [1, 1e-3, 1e-6, 1e3].find((f) => share * f > 0.1 && share * f < 1.05);
  if (factor === 1 || factor === undefined) return { settings };
  const corrected = linePeriod * factor;
  return {
    settings: { ...settings, linePeriod: corrected },
    note:
      `The line period in the header times ${grouped(lines)} lines is ${share.toPrecision(3)} times the frame period. ` +
      `A line period of ${corrected} s was assumed.`,
  };
}

/** Frames of a line scan are one long recording if no time passes between them. */
function joinFrames(
  { isLineScan, framePeriod, linePeriod }: ScanSettings,
  header: ScanImageHeader,
  frames: Frames,
  { width, height }: PageLayout,
): { isOneScan: boolean; note?: string } {
  if (!isLineScan || frames.T === 1 || frames.Z > 1) return { isOneScan: false };
  const gap = framePeriod === undefined || linePeriod === undefined ? 0 : framePeriod - linePeriod * height;
  if (header.generation !== 3 && Math.abs(gap) > (linePeriod ?? 0) / 2) {
    return {
      isOneScan: false,
      note: `The frames of this line scan have ${grouped(height)} lines and are ${gap.toPrecision(3)} s apart. Showing each frame as a time point.`,
    };
  }
  const lines = height * frames.T;
  return { isOneScan: lines <= LIMITS.planeSide && lines * width <= LIMITS.planePixels };
}

/** Counts the regions of interest in a frame. */
function countRegions(context: FlavorContext, header: ScanImageHeader): number {
  if (header.number('hRoiManager.mroiEnable') === 0) return 1;
  return countRois(readRoiText(context)) ?? 1;
}

function toSteps(
  settings: ScanSettings,
  frames: Frames,
  { width, height }: PageLayout,
  hasRegions: boolean,
): SceneInfo['steps'] {
  const fov = hasRegions ? undefined : settings.fov;
  const micrometers = (extent: number | undefined, pixels: number): Step =>
    makeStep((extent ?? Number.NaN) / pixels, 'micrometer') ?? defaultStep();
  const line = makeStep(settings.linePeriod ?? Number.NaN, 'seconds');
  return {
    T: makeStep(frames.period(settings) ?? Number.NaN, 'seconds') ?? defaultStep('Frames'),
    Z: makeStep(settings.zStep ?? Number.NaN, 'micrometer') ?? defaultStep('Planes'),
    Y: settings.isLineScan ? (line ?? defaultStep()) : micrometers(fov?.y, height),
    X: micrometers(fov?.x, width),
  };
}

/** Returns the start of the acquisition: epoch of the first frame, trigger time (versions 3 and 4), or DateTime. */
function readClock({ page }: FlavorContext, header: ScanImageHeader): WallClock {
  const trigger = header.texts('internal.triggerTimeString', 'triggerClockTimeFirst')?.[0];
  return readEpoch(page) ?? parseDateTime(trigger ?? '') ?? parseDateTime(readText(page, TAG.dateTime)) ?? NO_CLOCK;
}
