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
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { textOf } from '../soft-tags.js';
import { epochClock, findChannels } from './scanimage-channels.js';
import { type ScanFacts, toScanFacts } from './scanimage-facts.js';
import { type Frames, findFrames } from './scanimage-frames.js';
import { findPages } from './scanimage-pages.js';
import { readHeaderText, readRoiText } from './scanimage-text.js';

const DATE_TIME = 306;

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
  const { layout } = context.page;
  const pages = findPages(context);
  const channels = findChannels(context, header, pages);
  const facts = toScanFacts(header, layout.height);
  const linePeriod = checkedLinePeriod(facts, layout.height, context.warnings);
  const frames = findFrames(facts.order, Math.floor(pages.count / channels.length), context.warnings);
  const stacked = joinsFrames(facts, linePeriod, header, frames, context);
  const scene: SceneInfo = {
    name: '',
    sampleType: layout.sampleType,
    channels: channelsShown(channelsNamed(channels), displaysOf(header, channels.length)),
    sizes: {
      T: stacked ? 1 : frames.T,
      Z: frames.Z,
      Y: stacked ? layout.height * frames.T : layout.height,
      X: layout.width,
    },
    steps: stepsOf(context, facts, linePeriod, frames, header),
    ...clockOf(context, header),
    reference: null,
    warnings: [],
  };
  const pageOf = (channel: number, t: number, z: number) => ({
    ...pages.locate(frames.index(t, z) * channels.length + channel),
    sample: 0,
  });
  return {
    scenes: [scene],
    locate: ({ channel, t, z }) =>
      stacked
        ? { pieces: frames.T, pieceRows: layout.height, piece: (index) => pageOf(channel, index, z) }
        : pageOf(channel, t, z),
  };
}

/** None for files whose pages are of other channels than the header says. */
function displaysOf(header: ScanImageHeader, channels: number): ChannelDisplay[] {
  const saved = savedChannels(header) ?? [];
  return saved.length === channels ? channelDisplays(header, saved) : [];
}

/**
 * The line period in seconds. Header versions disagree on its unit; the frame period tells: the lines of a frame take
 * a part of it, never a thousand times as long.
 */
function checkedLinePeriod(facts: ScanFacts, lines: number, warnings: string[]): number | undefined {
  const { linePeriod, framePeriod } = facts;
  if (linePeriod === undefined || framePeriod === undefined) return linePeriod;
  const share = (linePeriod * lines) / framePeriod;
  const factor = [1, 1e-3, 1e-6, 1e3].find((f) => share * f > 0.1 && share * f < 1.05);
  if (factor === 1 || factor === undefined) return linePeriod;
  warnings.push(
    `the header's line period times ${lines} lines is ${share.toPrecision(3)} times its frame period; ` +
      `it is taken as ${linePeriod * factor} s`,
  );
  return linePeriod * factor;
}

/** Frames of a line scan are one long recording when no time passes between them. */
function joinsFrames(
  facts: ScanFacts,
  linePeriod: number | undefined,
  header: ScanImageHeader,
  frames: Frames,
  { page, warnings }: FlavorContext,
): boolean {
  if (!facts.lineScan || frames.T === 1 || frames.Z > 1) return false;
  const { width, height } = page.layout;
  const gap = facts.framePeriod === undefined || linePeriod === undefined ? 0 : facts.framePeriod - linePeriod * height;
  if (header.generation !== 3 && Math.abs(gap) > (linePeriod ?? 0) / 2) {
    warnings.push(
      `line scan whose frames of ${height} lines are ${gap.toPrecision(3)} s apart; each frame is a time point`,
    );
    return false;
  }
  return height * frames.T <= LIMITS.planeSide && height * frames.T * width <= LIMITS.planePixels;
}

function stepsOf(
  context: FlavorContext,
  facts: ScanFacts,
  linePeriod: number | undefined,
  frames: Frames,
  header: ScanImageHeader,
): SceneInfo['steps'] {
  const { width, height } = context.page.layout;
  const rois = header.number('hRoiManager.mroiEnable') === 0 ? 1 : (countRois(readRoiText(context)) ?? 1);
  if (rois > 1) {
    context.warnings.push(
      `the frames show ${rois} regions of interest, one below the other; the image is shown whole, without a size of its pixels`,
    );
  }
  const fov = rois > 1 ? undefined : facts.fov;
  const micrometers = (extent: number | undefined, pixels: number): Step =>
    makeStep((extent ?? Number.NaN) / pixels, 'micrometer') ?? defaultStep();
  const seconds = makeStep(linePeriod ?? Number.NaN, 'seconds');
  return {
    T: makeStep(frames.period(facts) ?? Number.NaN, 'seconds') ?? defaultStep('Frames'),
    Z: makeStep(facts.zStep ?? Number.NaN, 'micrometer') ?? defaultStep('Planes'),
    Y: facts.lineScan ? (seconds ?? defaultStep()) : micrometers(fov?.y, height),
    X: micrometers(fov?.x, width),
  };
}

/** Start of the acquisition: the epoch of the first frame, the trigger time of 3.x and 4, else DateTime. */
function clockOf({ page }: FlavorContext, header: ScanImageHeader): WallClock {
  const trigger = header.texts('internal.triggerTimeString', 'triggerClockTimeFirst')?.[0];
  return epochClock(page) ?? parseDateTime(trigger ?? '') ?? parseDateTime(textOf(page, DATE_TIME)) ?? NO_CLOCK;
}
