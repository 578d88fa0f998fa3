import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { grouped } from '../../../base/wording.js';
import type { ChannelInfo, SceneInfo } from '../../../model/acquisition.js';
import type { ResolvedAxis } from '../../../model/metadata/axes.js';
import { channelsShown } from '../../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../model/metadata/dates.js';
import { channelsNamed } from '../../../model/metadata/names.js';
import {
  channelDisplays,
  countRois,
  parseScanImageText,
  type ScanImageHeader,
  savedChannels,
} from '../../../model/metadata/scanimage.js';
import { scanImageInstrument, scanImageOptics } from '../../../model/metadata/scanimage-instrument.js';
import { TAG } from '../../../tiff/tags.js';
import type { PageLayout } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { readText } from '../parse.js';
import { findChannels } from './scanimage-channels.js';
import { FrameTexts } from './scanimage-frame-text.js';
import { type Frames, sortFrames } from './scanimage-frames.js';
import { findPlaces } from './scanimage-numbers.js';
import { findPages } from './scanimage-pages.js';
import { type ScanSettings, toScanSettings } from './scanimage-settings.js';
import { readColumns, resolveDepths, resolveTimes, toSteps } from './scanimage-steps.js';
import { readHeaderText, readRoiText } from './scanimage-text.js';

/** ScanImage 3, 4, 5 and later. See `docs/formats/scanimage.md`. */
export const scanimageFlavor: FlavorReader = {
  arrange: async (context) => {
    const header = parseScanImageText(readHeaderText(context) ?? '');
    return header && arrangeScan(context, header);
  },
};

function arrangeScan(context: FlavorContext, header: ScanImageHeader): Arrangement {
  const { file, page, notes } = context;
  const { layout } = page;
  const pages = findPages(file, page);
  const texts = new FrameTexts(file, pages);
  const channels = findChannels(file, header, texts, pages.count);
  const corrected = correctLinePeriod(toScanSettings(header, layout.height), layout.height);
  const { settings } = corrected;
  const textAt = (frame: number) => texts.at(frame * channels.names.length);
  const found = findPlaces(Math.floor(pages.count / channels.names.length), textAt, settings);
  const frames = sortFrames(settings.order, found.places);
  const timeNotes = new Notes();
  const T = resolveTimes(settings, frames, textAt, {
    channels: channels.names.length,
    notes: timeNotes,
  });
  const joined = joinFrames(settings, header, frames, T, layout);
  const regions = countRegions(context, header);
  // Where a place does not depend on the numbers, nothing is wrong without them.
  const numbering = settings.order.slices > 1 ? found.note : undefined;
  for (const note of [pages.note, channels.note, corrected.note, numbering, ...frames.notes, joined.note]) {
    if (note !== undefined) notes.add(note);
  }
  if (!joined.isOneScan) notes.addAll(timeNotes);
  const Z = resolveDepths(settings, frames, notes);
  if (regions > 1) {
    notes.add(
      `The frames show ${grouped(regions)} regions of interest, one below the other. Showing the whole image, without a pixel size.`,
    );
  }
  const lines = joined.isOneScan ? layout.height * frames.T : layout.height;
  const clock = readClock(context, header, texts);
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: describeChannels(header, channels.names),
    sizes: { T: joined.isOneScan ? 1 : frames.T, Z: frames.Z, Y: lines, X: layout.width },
    ...toSteps(settings, joined.isOneScan ? { T: { step: T.step }, Z } : { T, Z }, layout, regions > 1),
    ...clock,
    ...scanImageInstrument(header, { linePeriod: settings.linePeriod, clock }),
    reference: null,
    warnings: [],
  };
  const locate = (channel: number, t: number, z: number) => {
    const frame = frames.index(t, z);
    return frame === undefined ? undefined : { ...pages.locate(frame * channels.names.length + channel), sample: 0 };
  };
  return {
    scenes: [scene],
    ...(frames.first && { named: { scene: 0, ...frames.first } }),
    locate: ({ channel, t, z }) =>
      joined.isOneScan
        ? { pieces: frames.T, pieceRows: layout.height, piece: (index) => locate(channel, index, z) }
        : locate(channel, t, z),
    readPlaneColumns: () =>
      readColumns(settings, { ...frames, ...(joined.isOneScan && { T: 1 }) }, channels.names.length, (frame) =>
        texts.secondsAt(frame * channels.names.length),
      ),
  };
}

/** What the header says of channels is ignored if the pages have other channels. */
function describeChannels(header: ScanImageHeader, names: readonly string[]): ChannelInfo[] {
  const saved = savedChannels(header) ?? [];
  if (saved.length !== names.length) return channelsNamed(names);
  const optics = scanImageOptics(header, saved);
  const channels = channelsShown(channelsNamed(names), channelDisplays(header, saved));
  return channels.map((channel, i) => ({ ...channel, ...optics[i] }));
}

/**
 * Header versions disagree on the unit of the line period. The frame period shows which one it is: the lines of a frame
 * take a part of it, and never a thousand times as long.
 */
function correctLinePeriod(settings: ScanSettings, lines: number): { settings: ScanSettings; note?: string } {
  const { linePeriod, framePeriod } = settings;
  if (linePeriod === undefined || framePeriod === undefined) return { settings };
  const share = (linePeriod * lines) / framePeriod.seconds;
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
  { isLineScan, linePeriod }: ScanSettings,
  header: ScanImageHeader,
  frames: Frames,
  { step: { step: framePeriod, unit }, hasPause }: ResolvedAxis & { hasPause: boolean },
  { width, height }: PageLayout,
): { isOneScan: boolean; note?: string } {
  if (!isLineScan || frames.T === 1 || frames.Z > 1) return { isOneScan: false };
  if (hasPause) {
    return {
      isOneScan: false,
      note: 'Time passed between the frames of this line scan, by their time stamps. Showing each frame as a time point.',
    };
  }
  const gap = unit !== 'seconds' || linePeriod === undefined ? 0 : framePeriod - linePeriod * height;
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

/** Returns the start of the acquisition: epoch of the first frame, trigger time (versions 3 and 4), or DateTime. */
function readClock({ page }: FlavorContext, header: ScanImageHeader, texts: FrameTexts): WallClock {
  const trigger = header.texts('internal.triggerTimeString', 'triggerClockTimeFirst')?.[0];
  return texts.at(0).epoch ?? parseDateTime(trigger ?? '') ?? parseDateTime(readText(page, TAG.dateTime)) ?? NO_CLOCK;
}
