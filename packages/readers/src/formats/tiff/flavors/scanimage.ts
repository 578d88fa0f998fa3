import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { grouped } from '../../../base/wording.js';
import type { ChannelInfo, PlaneColumns, SceneInfo } from '../../../model/acquisition.js';
import type { ResolvedAxis } from '../../../model/metadata/axes.js';
import { channelsShown } from '../../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../model/metadata/dates.js';
import { channelsNamed } from '../../../model/metadata/names.js';
import {
  channelDisplays,
  parseScanImageText,
  type ScanImageHeader,
  savedChannels,
} from '../../../model/metadata/scanimage.js';
import { scanImageInstrument, scanImageOptics } from '../../../model/metadata/scanimage-instrument.js';
import { countRois } from '../../../model/metadata/scanimage-rois.js';
import { TAG } from '../../../tiff/tags.js';
import type { PageLayout } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { readText } from '../parse.js';
import { findChannels } from './scanimage-channels.js';
import { FrameTexts } from './scanimage-frame-text.js';
import { type Frames, sortFrames } from './scanimage-frames.js';
import { findPlaces } from './scanimage-numbers.js';
import type { PageRun } from './scanimage-pages.js';
import { findAllPages, firstPlaneOf } from './scanimage-parts.js';
import { findRegions } from './scanimage-regions.js';
import { type ScanSettings, toScanSettings } from './scanimage-settings.js';
import { depthsOf, readColumns, resolveDepths, resolveTimes, toSteps } from './scanimage-steps.js';
import { readHeaderText, readRoiText } from './scanimage-text.js';

/** ScanImage 3, 4, 5 and later. See `docs/formats/scanimage.md`. */
export const scanimageFlavor: FlavorReader = {
  arrange: async (context) => {
    const header = parseScanImageText(readHeaderText(context) ?? '');
    return header && arrangeScan(context, header);
  },
};

function arrangeScan(context: FlavorContext, header: ScanImageHeader): Arrangement {
  const { page, notes } = context;
  const { layout } = page;
  const pages = findAllPages(context);
  const texts = new FrameTexts(pages);
  const channels = findChannels(pages, header, texts);
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
  // Where a place does not depend on the numbers, nothing is wrong without them.
  const numbering = settings.order.slices > 1 ? found.note : undefined;
  for (const note of [...pages.notes, channels.note, corrected.note, numbering, ...frames.notes, joined.note]) {
    if (note !== undefined) notes.add(note);
  }
  if (!joined.isOneScan) notes.addAll(timeNotes);
  const scan: ScannedFrames = {
    ...{ header, settings, frames, T, layout, pages, texts },
    isOneScan: joined.isOneScan,
    names: channels.names,
    shared: describeShared(context, header, { channels: channels.names, texts, settings, layout }),
  };
  const regionCount = countRegions(context, header);
  const regions = joined.isOneScan ? undefined : findScanRegions(context, scan, regionCount);
  const parts = regions ?? [wholeFrames(scan, regionCount)];
  const first = joined.isOneScan ? undefined : firstPlaneOf(pages.namedAt, frames, channels.names.length);
  const named = first ?? frames.first;
  return {
    scenes: parts.map((part) => toScene(scan, part, regions ? new Notes() : notes)),
    ...(pages.names && { files: () => pages.names! }),
    ...(named && { named: toNamed(named, parts[0]!) }),
    locate: ({ scene, ...address }) => locate(scan, parts[scene]!, address),
    readPlaneColumns: (scene) => readPart(scan, parts[scene]!),
  };
}

/** A recording, as its header and its pages describe it. */
interface ScannedFrames {
  header: ScanImageHeader;
  settings: ScanSettings;
  frames: Frames;
  T: ResolvedAxis;
  layout: PageLayout;
  pages: PageRun;
  texts: FrameTexts;
  names: readonly string[];
  /** The frames are the lines of one plane. */
  isOneScan: boolean;
  /** What all scenes have. */
  shared: Pick<SceneInfo, 'sampleType' | 'channels' | 'instrument' | 'date' | 'time' | 'reference'>;
}

/** A scene: whole frames, or the rows of a region of interest in them. */
interface Part {
  name: string;
  height: number;
  /** Micrometers. */
  extent: { x: number; y: number } | undefined;
  /** Sections of the volume, and the first row in each; absent when all are shown, with all rows. */
  sections?: readonly number[];
  rows?: readonly number[];
}

function describeShared(
  context: FlavorContext,
  header: ScanImageHeader,
  {
    channels,
    texts,
    settings,
    layout,
  }: Pick<ScannedFrames, 'texts' | 'settings' | 'layout'> & { channels: readonly string[] },
): ScannedFrames['shared'] {
  const clock = readClock(context, header, texts);
  return {
    sampleType: layout.sampleType,
    channels: describeChannels(header, channels),
    ...clock,
    ...scanImageInstrument(header, { linePeriod: settings.linePeriod, clock }),
    reference: null,
  };
}

/** Returns the whole frames. What they show in common is said of several regions that are not told apart. */
function wholeFrames({ settings, layout }: ScannedFrames, regionCount: number | undefined): Part {
  return {
    name: '',
    height: layout.height,
    extent: regionCount === 1 ? settings.fov : undefined,
  };
}

/** Returns the regions of interest, unless there are none, or it is not certain which rows they are. */
function findScanRegions(
  context: FlavorContext,
  { header, settings, frames, layout }: ScannedFrames,
  count: number | undefined,
): Part[] | undefined {
  if (count !== undefined && count < 2 && header.flag('hRoiManager.mroiEnable') !== true) return undefined;
  const zs = header.numbers('hStackManager.zs');
  const depths = depthsOf(settings, frames.Z) ?? (frames.Z === 1 && zs?.length === 1 ? zs : undefined);
  const { width, height } = layout;
  const found = findRegions(readRoiText(context), { width, height, Z: frames.Z, depths, settings });
  if ('reason' in found) {
    if (count !== 1) {
      context.notes.add(
        `The frames show ${count === undefined ? '' : `${grouped(count)} `}regions of interest, one below the other. Showing the whole ` +
          `image, without a pixel size: ${found.reason}.`,
      );
    }
    return undefined;
  }
  const { degree } = settings;
  if (degree?.note !== undefined) context.notes.add(degree.note);
  return found.map(({ name, height: rows, degrees, sections, rows: firstRows }) => ({
    ...{ name, height: rows, sections, rows: firstRows },
    extent: degree && { x: degrees.x * degree.micrometers, y: degrees.y * degree.micrometers },
  }));
}

/** Returns the settings for the sections that a part has. */
function settingsOf({ settings, frames }: ScannedFrames, { sections }: Part): ScanSettings {
  if (!sections || sections.length === frames.Z) return settings;
  const { depths, order } = settings;
  const at = depthsOf(settings, frames.Z);
  return {
    ...settings,
    order: { ...order, slices: sections.length },
    zStep: undefined,
    depths: at && depths && { at: sections.map((z) => at[z]!), what: depths.what },
  };
}

function toScene(scan: ScannedFrames, part: Part, notes: Notes): SceneInfo {
  const { frames, layout, T, isOneScan, shared } = scan;
  const settings = settingsOf(scan, part);
  const Zs = part.sections?.length ?? frames.Z;
  const Z = resolveDepths(settings, { Z: Zs }, notes);
  const axes = isOneScan ? { T: { step: T.step }, Z } : { T, Z };
  return {
    ...shared,
    name: part.name,
    sizes: {
      ...{ T: isOneScan ? 1 : frames.T, Z: Zs },
      ...{ Y: isOneScan ? layout.height * frames.T : part.height, X: layout.width },
    },
    ...toSteps(settings, axes, { width: layout.width, height: part.height }, part.extent),
    // Those of whole frames are with the warnings of the file.
    warnings: part.rows ? notes.list() : [],
  };
}

function toNamed({ t, z }: { t: number; z: number }, { sections }: Part) {
  return { scene: 0, t, z: sections ? Math.max(0, sections.indexOf(z)) : z };
}

function locate(scan: ScannedFrames, part: Part, { channel, t, z }: { channel: number; t: number; z: number }) {
  const { frames, pages, names, isOneScan, layout } = scan;
  const firstRow = part.rows?.[z];
  const at = (time: number) => {
    const frame = frames.index(time, part.sections?.[z] ?? z);
    if (frame === undefined) return undefined;
    const page = pages.locate(frame * names.length + channel);
    return { ...page, sample: 0, ...(firstRow !== undefined && { firstRow }) };
  };
  return isOneScan ? { pieces: frames.T, pieceRows: layout.height, piece: at } : at(t);
}

function readPart(scan: ScannedFrames, part: Part): PlaneColumns {
  const { frames, names, texts, isOneScan } = scan;
  const Z = part.sections?.length ?? frames.Z;
  const index = (t: number, z: number) => frames.index(t, part.sections?.[z] ?? z);
  return readColumns(settingsOf(scan, part), { T: isOneScan ? 1 : frames.T, Z, index }, names.length, (frame) =>
    texts.secondsAt(frame * names.length),
  );
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

/** Counts the regions of interest in a frame; `undefined` if the header says that there are some, and does not list them. */
function countRegions(context: FlavorContext, header: ScanImageHeader): number | undefined {
  if (header.number('hRoiManager.mroiEnable') === 0) return 1;
  return countRois(readRoiText(context)) ?? (header.flag('hRoiManager.mroiEnable') ? undefined : 1);
}

/** Returns the start of the acquisition: epoch of the first frame, trigger time (versions 3 and 4), or DateTime. */
function readClock({ page }: FlavorContext, header: ScanImageHeader, texts: FrameTexts): WallClock {
  const trigger = header.texts('internal.triggerTimeString', 'triggerClockTimeFirst')?.[0];
  return texts.at(0).epoch ?? parseDateTime(trigger ?? '') ?? parseDateTime(readText(page, TAG.dateTime)) ?? NO_CLOCK;
}
