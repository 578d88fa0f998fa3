import type { ChannelInfo, SceneInfo } from '../../../acquisition.js';
import { AcqError, decodeFailed, unsupported } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import { channelsShown } from '../../../metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { defaultStep } from '../../../metadata/steps.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { sampleChannels } from '../channels.js';
import { paletteColor } from '../palette.js';
import { resolutionSteps } from '../resolution.js';
import { textOf } from '../soft-tags.js';
import { isPrairie, prairieChannels, prairieClock } from './prairie.js';

const DATE_TIME = 306;
const SUB_IFDS = 330;
/** Files with more pages are checked at `SAMPLED_PAGES` places only, and page by page when read. */
const FULL_SCAN_PAGES = 10_000;
const SAMPLED_PAGES = 64;
/** Pages of different shapes are sorted by looking at every one; that many take some seconds. */
const SORTED_PAGES = 500_000;
/** Levels of a pyramid are below 20; nobody hides more pages in one tag. */
const SUB_IFDS_READ = 1_000;

interface Damage {
  index: number;
  error: AcqError;
}

/** Pages of one shape and type. */
interface Series {
  first: TiffPage;
  /** Page indices, or negative IFD offsets off the main chain; `undefined`: every page of the file. */
  pages: number[] | undefined;
  count: number;
}

/**
 * Pages without any meaning of their own: equal ones form a stack along Z (the usual reading of a three-dimensional
 * array), others further scenes, in the order of the file. Reduced pages and masks are left out.
 */
export const genericFlavor: Flavor = {
  id: 'generic',
  label: 'TIFF pages',
  detect: () => true,
  arrange: async (context) => arrangeSeries(sortPages(context), context),
};

function arrangeSeries(series: Series[], context: FlavorContext): Arrangement {
  if (series.length > LIMITS.scenes) {
    throw unsupported(`${context.input.probe.name}: has pages of ${series.length} different shapes`);
  }
  return {
    scenes: series.map((one, index) => sceneOf(one, series.length > 1 ? `Series ${index + 1}` : '', context)),
    locate: ({ scene, channel, z }) => {
      const one = series[scene] as Series;
      const place = one.pages ? (one.pages[z] as number) : z;
      const page = place < 0 ? context.file.pageAt(-place) : context.file.page(place);
      return { file: context.file, page, sample: channel };
    },
  };
}

function sceneOf({ first, count }: Series, name: string, { input }: FlavorContext): SceneInfo {
  const { layout } = first;
  const clock = parseDateTime(textOf(first, DATE_TIME)) ?? NO_CLOCK;
  return {
    name,
    sampleType: layout.sampleType,
    channels: prairieChannels(first, input.probe.name) ?? plainChannels(first),
    sizes: { T: 1, Z: count, Y: layout.height, X: layout.width },
    steps: { T: defaultStep('Frames'), Z: defaultStep('Planes'), ...resolutionSteps(first) },
    ...(isPrairie(first) ? prairieClock(first, clock) : clock),
    reference: null,
    warnings: count > 1 ? [unknownPages(count)] : [],
  };
}

function plainChannels(first: TiffPage): ChannelInfo[] {
  return channelsShown(sampleChannels(first.layout), [{ color: paletteColor(first) }]);
}

/** Series in the order of their first pages. Looks at every page only when there are few, or when they differ. */
function sortPages(context: FlavorContext): Series[] {
  const { file, page, warnings } = context;
  if (file.pageCount > FULL_SCAN_PAGES) {
    if (looksUniform(file, page)) {
      warnings.push(
        `the file has ${file.pageCount} pages; ${SAMPLED_PAGES} of them were compared and are alike, ` +
          'the others are checked when they are read',
      );
      return [{ first: page, pages: undefined, count: file.pageCount }];
    }
    if (file.pageCount > SORTED_PAGES) {
      throw unsupported(
        `${context.input.probe.name}: ${file.pageCount} pages of different shapes are too many to sort`,
      );
    }
  }
  return sortAll(context);
}

function looksUniform(file: TiffFile, first: TiffPage): boolean {
  const damaged: Damage[] = [];
  const alike = (page: TiffPage | undefined) => page && !isAuxiliary(page) && seriesKey(page) === seriesKey(first);
  if (!alike(pageOrDamage(file, first.index, damaged))) return false;
  for (let i = 1; i <= SAMPLED_PAGES; i++) {
    const index = Math.round(((file.pageCount - 1) * i) / SAMPLED_PAGES);
    // The neighbour too: thumbnails alternate with images.
    for (const near of [index - 1, index]) if (!alike(pageOrDamage(file, near, damaged))) return false;
  }
  return true;
}

function sortAll({ file, input, warnings }: FlavorContext): Series[] {
  const main = new Map<string, Series>();
  const auxiliary = new Map<string, Series>();
  const damaged: Damage[] = [];
  const lost: Damage[] = [];
  for (let index = 0; index < file.pageCount; index++) {
    const page = pageOrDamage(file, index, damaged);
    if (!page) continue;
    const group = isAuxiliary(page) ? auxiliary : main;
    const key = seriesKey(page);
    const places = [index, ...equalSubIfds(file, page, key, lost)];
    const known = group.get(key) ?? { first: page, pages: [], count: 0 };
    known.pages?.push(...places);
    known.count += places.length;
    group.set(key, known);
  }
  const chosen = main.size > 0 ? main : auxiliary;
  const reason = damaged[0];
  if (chosen.size === 0) throw reason?.error ?? decodeFailed(`${input.probe.name}: has no page that can be read`);
  if (reason) {
    const list = damaged.slice(0, 5).map(({ index }) => index + 1);
    const more = damaged.length > 5 ? ` and ${damaged.length - 5} more` : '';
    const which = `the pages ${list.join(', ')}${more}, which cannot be read`;
    warnings.push(`left out ${which}, so that the sections (Z) after them move up: ${reason.error.message}`);
  }
  if (lost[0]) {
    const { index, error } = lost[0];
    const more = lost.length > 1 ? `, and of ${lost.length - 1} more pages` : '';
    warnings.push(
      `A SubIFD of page ${index + 1} cannot be read${more}. If it was a page of its own, it is left out, ` +
        `and the sections (Z) after it move up: ${error.message}`,
    );
  }
  return [...chosen.values()];
}

/** SubIFDs are smaller versions of their page as a rule; those of its own size are pages too. As negative offsets. */
function equalSubIfds(file: TiffFile, page: TiffPage, key: string, lost: Damage[]): number[] {
  if (!page.tags.has(SUB_IFDS) || isAuxiliary(page)) return [];
  const equal: number[] = [];
  try {
    for (const offset of (page.numbers(SUB_IFDS) ?? []).slice(0, SUB_IFDS_READ)) {
      const sub = file.pageAt(offset);
      if (!isAuxiliary(sub) && seriesKey(sub) === key) equal.push(-offset);
    }
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    lost.push({ index: page.index, error });
  }
  return equal;
}

function pageOrDamage(file: TiffFile, index: number, damaged: Damage[]): TiffPage | undefined {
  try {
    const page = file.page(index);
    // Building the layout checks it.
    return page.layout.width > 0 ? page : undefined;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    damaged.push({ index, error });
    return undefined;
  }
}

function isAuxiliary({ layout }: TiffPage): boolean {
  return layout.reduced || layout.mask;
}

function seriesKey({ layout }: TiffPage): string {
  const { width, height, samplesPerPixel, bits, sampleType } = layout;
  return `${width}x${height}x${samplesPerPixel} ${bits} ${sampleType}`;
}

function unknownPages(count: number): string {
  const what = 'channels, time points (T) or sections (Z)';
  return `The file does not say what its ${count} pages are: ${what}. They are shown as Z sections.`;
}
