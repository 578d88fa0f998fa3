import { AcqError, decodeFailed, unsupported } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { quoteError } from '../../../base/subject.js';
import { grouped, plural } from '../../../base/wording.js';
import type { ChannelInfo, SceneInfo } from '../../../model/acquisition.js';
import { channelsShown } from '../../../model/metadata/colors.js';
import { NO_CLOCK, parseDateTime } from '../../../model/metadata/dates.js';
import { defaultStep } from '../../../model/metadata/steps.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { paletteColor, resolutionSteps, sampleChannels } from '../metadata.js';
import { readText } from '../parse.js';
import { isPrairie, prairieChannels, prairieClock } from './prairie.js';

/** In files with more pages, only `SAMPLED_PAGES` positions are compared on opening; the others when they are read. */
const FULL_SCAN_PAGES = 10_000;
const SAMPLED_PAGES = 64;
/** Sorting pages by shape looks at every page, which takes a few seconds for this many. */
const MAX_SORTED_PAGES = 500_000;
/** SubIFDs read per page. Pyramids have fewer than 20 levels. */
const MAX_SUB_IFDS = 1_000;

/** A page that cannot be read. */
interface UnreadablePage {
  index: number;
  error: AcqError;
}

/** Pages of one shape and type. */
interface Series {
  first: TiffPage;
  /** Page indices, or negative IFD offsets off the main chain; `undefined` if the series is every page of the file. */
  pages: number[] | undefined;
  count: number;
}

/**
 * Pages without further metadata. Pages of one shape are a stack along Z (the usual meaning of a three-dimensional array);
 * each further shape is a scene of its own, in file order. Reduced pages and masks are skipped.
 */
export const genericFlavor: FlavorReader = {
  arrange: async (context) => arrangeSeries(findSeries(context), context),
};

function arrangeSeries(series: Series[], context: FlavorContext): Arrangement {
  if (series.length > LIMITS.scenes) {
    throw unsupported(
      `has pages of ${grouped(series.length)} different shapes; the limit is ${grouped(LIMITS.scenes)}`,
    );
  }
  return {
    scenes: series.map((each, index) => toScene(each, series.length > 1 ? `Series ${index + 1}` : '', context)),
    locate: ({ scene, channel, z }) => {
      const { pages } = series[scene]!;
      const index = pages ? pages[z]! : z;
      const page = index < 0 ? context.file.pageAt(-index) : context.file.page(index);
      return { file: context.file, page, sample: channel };
    },
  };
}

function toScene({ first, count }: Series, name: string, { input }: FlavorContext): SceneInfo {
  const { layout } = first;
  const clock = parseDateTime(readText(first, TAG.dateTime)) ?? NO_CLOCK;
  const unknown = count > 1 ? [describeUnknownPages(count)] : [];
  return {
    name,
    sampleType: layout.sampleType,
    channels: prairieChannels(first, input.probe.name) ?? plainChannels(first),
    sizes: { T: 1, Z: count, Y: layout.height, X: layout.width },
    steps: { T: defaultStep('Frames'), Z: defaultStep('Planes'), ...resolutionSteps(first) },
    ...(isPrairie(first) ? prairieClock(first, clock) : clock),
    reference: null,
    warnings: unknown,
    axisWarnings: { planes: unknown },
  };
}

function plainChannels(first: TiffPage): ChannelInfo[] {
  return channelsShown(sampleChannels(first.layout), [{ color: paletteColor(first) }]);
}

function describeUnknownPages(count: number): string {
  const meanings = 'channels, time points (T) or sections (Z)';
  return `The file does not say what its ${grouped(count)} pages are: ${meanings}. They are shown as Z sections.`;
}

/** Returns the series in the order of their first pages. Looks at every page only if there are few, or if they differ. */
function findSeries(context: FlavorContext): Series[] {
  const { file, page, notes } = context;
  if (file.pageCount > FULL_SCAN_PAGES) {
    if (looksUniform(file, page)) {
      notes.add(
        `The file has ${grouped(file.pageCount)} pages; ${grouped(SAMPLED_PAGES)} of them were compared and have the same shape. ` +
          'The others are checked when they are read.',
      );
      return [{ first: page, pages: undefined, count: file.pageCount }];
    }
    if (file.pageCount > MAX_SORTED_PAGES) {
      throw unsupported(
        `has ${grouped(file.pageCount)} pages of different shapes; the limit is ${grouped(MAX_SORTED_PAGES)}`,
      );
    }
  }
  return sortPages(context);
}

function looksUniform(file: TiffFile, first: TiffPage): boolean {
  const matches = (index: number) => {
    const { page } = readPage(file, index);
    return page !== undefined && !isAuxiliary(page) && seriesKey(page) === seriesKey(first);
  };
  if (!matches(first.index)) return false;
  for (let i = 1; i <= SAMPLED_PAGES; i++) {
    const index = Math.round(((file.pageCount - 1) * i) / SAMPLED_PAGES);
    // Compare the page before it as well: some files alternate images and thumbnails.
    if (!matches(index - 1) || !matches(index)) return false;
  }
  return true;
}

function sortPages({ file, notes }: FlavorContext): Series[] {
  const main = new Map<string, Series>();
  const auxiliary = new Map<string, Series>();
  const unreadable: UnreadablePage[] = [];
  const lostSubIfds: UnreadablePage[] = [];
  for (let index = 0; index < file.pageCount; index++) {
    const { page, error } = readPage(file, index);
    if (error) unreadable.push({ index, error });
    if (!page) continue;
    const group = isAuxiliary(page) ? auxiliary : main;
    const key = seriesKey(page);
    const subIfds = findEqualSubIfds(file, page, key);
    if (subIfds.error) lostSubIfds.push({ index, error: subIfds.error });
    const series = group.get(key) ?? { first: page, pages: [], count: 0 };
    series.pages?.push(index, ...subIfds.offsets.map((offset) => -offset));
    series.count += 1 + subIfds.offsets.length;
    group.set(key, series);
  }
  const chosen = main.size > 0 ? main : auxiliary;
  if (chosen.size === 0) throw unreadable[0]?.error ?? decodeFailed('has no readable page');
  notes.addAll([...describeUnreadable(unreadable), ...describeLostSubIfds(lostSubIfds)]);
  return [...chosen.values()];
}

function describeUnreadable(pages: readonly UnreadablePage[]): string[] {
  const [first] = pages;
  if (!first) return [];
  const numbers = pages.slice(0, 5).map(({ index }) => index + 1);
  const more = pages.length > 5 ? ` and ${grouped(pages.length - 5)} more` : '';
  const what =
    pages.length === 1
      ? `an unreadable page (${numbers[0]}), which was skipped, so the pages after it move up`
      : `unreadable pages (${numbers.join(', ')}${more}), which were skipped, so the pages after them move up`;
  return [quoteError(`The file has ${what}`, first.error)];
}

function describeLostSubIfds(pages: readonly UnreadablePage[]): string[] {
  const [first] = pages;
  if (!first) return [];
  const more = pages.length > 1 ? `, and of ${plural(pages.length - 1, 'more page')}` : '';
  const lost =
    `A SubIFD of page ${first.index + 1} cannot be read${more}. If it was a page of its own, it was skipped, ` +
    'and the pages after it move up';
  return [quoteError(lost, first.error)];
}

/** SubIFDs are usually smaller versions of their page; those of the same size are pages too. Returns their offsets. */
function findEqualSubIfds(file: TiffFile, page: TiffPage, key: string): { offsets: number[]; error?: AcqError } {
  const offsets: number[] = [];
  if (!page.tags.has(TAG.subIfds) || isAuxiliary(page)) return { offsets };
  try {
    for (const offset of (page.numbers(TAG.subIfds) ?? []).slice(0, MAX_SUB_IFDS)) {
      const sub = file.pageAt(offset);
      if (!isAuxiliary(sub) && seriesKey(sub) === key) offsets.push(offset);
    }
  } catch (error) {
    if (error instanceof AcqError) return { offsets, error };
    throw error;
  }
  return { offsets };
}

function readPage(file: TiffFile, index: number): { page?: TiffPage; error?: AcqError } {
  try {
    const page = file.page(index);
    // Reading the layout checks it.
    return page.layout.width > 0 ? { page } : {};
  } catch (error) {
    if (error instanceof AcqError) return { error };
    throw error;
  }
}

function isAuxiliary({ layout }: TiffPage): boolean {
  return layout.reduced || layout.mask;
}

function seriesKey({ layout }: TiffPage): string {
  const { width, height, samplesPerPixel, bits, sampleType } = layout;
  return `${width}x${height}x${samplesPerPixel} ${bits} ${sampleType}`;
}
