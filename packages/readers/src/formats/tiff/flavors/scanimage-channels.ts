import { plural } from '../../../base/wording.js';
import { parseScanImageText, type ScanImageHeader, savedChannels } from '../../../model/metadata/scanimage.js';
import { TAG } from '../../../tiff/tags.js';
import { readText } from '../parse.js';
import type { FrameTexts } from './scanimage-frame-text.js';
import type { PageRun } from './scanimage-pages.js';

/** Pages that are read to count channels. ScanImage has at most 4 to 64. */
const MAX_CHANNELS = 64;

/**
 * Returns channel names in the order of the pages. Pages of one frame have its number, which is more reliable than the
 * header: files that other programs split or merged keep the header of one channel.
 */
export function findChannels(
  run: PageRun,
  header: ScanImageHeader,
  texts: FrameTexts,
): { names: string[]; note?: string } {
  const names = (savedChannels(header) ?? [{ number: 1, name: 'Channel 1' }]).map(({ name }) => name);
  const { count: pages } = run;
  const saved = plural(names.length, 'channel');
  const perFrame = countPagesPerFrame(texts, pages);
  if (perFrame !== undefined && perFrame !== names.length) {
    return {
      names: Array.from({ length: perFrame }, (_, index) => findChannelName(run, index) ?? `Channel ${index + 1}`),
      note:
        `The ScanImage header says that ${saved} ${names.length === 1 ? 'was' : 'were'} saved, but ` +
        `${plural(perFrame, 'page')} ${perFrame === 1 ? 'has' : 'have'} the same frame number. Showing ${plural(perFrame, 'channel')}.`,
    };
  }
  if (pages < names.length) {
    return {
      names: names.slice(0, pages),
      note:
        `The ScanImage header says that ${saved} were saved, but the file has ${plural(pages, 'page')}. ` +
        `Showing ${plural(pages, 'channel')}.`,
    };
  }
  const left = pages % names.length;
  if (left === 0) return { names };
  return {
    names,
    note: `The last frame has ${left} of ${saved} and is not shown. The recording was probably interrupted.`,
  };
}

/** Counts the pages with the first frame number. Returns `undefined` if frames have no numbers, or for a single frame. */
function countPagesPerFrame(texts: FrameTexts, pages: number): number | undefined {
  const first = texts.at(0).number;
  if (first === undefined) return undefined;
  for (let index = 1; index < Math.min(pages, MAX_CHANNELS + 1); index++) {
    const next = texts.at(index).number;
    if (next === undefined) return undefined;
    if (next !== first) return index;
  }
  return undefined;
}

/** Returns the channel in the header of a single page, if it lists just one. */
function findChannelName(run: PageRun, index: number): string | undefined {
  const header = parseScanImageText(readText(run.page(index), TAG.software));
  const saved = header && savedChannels(header);
  return saved?.length === 1 ? saved[0]?.name : undefined;
}
