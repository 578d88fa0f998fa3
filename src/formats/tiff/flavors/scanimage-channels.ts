import { parseDateTime, type WallClock } from '../../../metadata/dates.js';
import { numbersOf, parseMatlab } from '../../../metadata/matlab.js';
import { parseScanImageText, type ScanImageHeader, savedChannels } from '../../../metadata/scanimage.js';
import type { TiffPage } from '../../../tiff/types.js';
import { plural } from '../../../wording.js';
import type { FlavorContext } from '../arrangement.js';
import { textOf } from '../soft-tags.js';
import type { PageRun } from './scanimage-pages.js';

const IMAGE_DESCRIPTION = 270;
const SOFTWARE = 305;

/** Pages that are looked at for the number of channels; ScanImage has at most 4 to 64. */
const MAX_CHANNELS = 64;

/**
 * Channel names in the order of the pages. Pages of one frame bear its number, which is worth more than the header:
 * files that were split or put together by other programs keep the header of one channel.
 */
export function findChannels(context: FlavorContext, header: ScanImageHeader, pages: PageRun): string[] {
  const announced = savedChannels(header) ?? [{ number: 1, name: 'Channel 1' }];
  const names = announced.map(({ name }) => name);
  const found = pagesPerFrame(context);
  if (found !== undefined && found !== names.length) {
    context.warnings.push(
      `The ScanImage header says that ${plural(names.length, 'channel')} ${names.length === 1 ? 'was' : 'were'} saved, but ` +
        `${plural(found, 'page')} ${found === 1 ? 'has' : 'have'} the same frame number. Showing ${plural(found, 'channel')}.`,
    );
    return Array.from({ length: found }, (_, index) => ownChannel(context, index) ?? `Channel ${index + 1}`);
  }
  if (pages.count < names.length) {
    context.warnings.push(
      `The ScanImage header says that ${plural(names.length, 'channel')} were saved, but the file has ` +
        `${plural(pages.count, 'page')}. Showing ${plural(pages.count, 'channel')}.`,
    );
    return names.slice(0, pages.count);
  }
  const left = pages.count % names.length;
  if (left > 0) {
    context.warnings.push(
      `The last frame has ${left} of ${plural(names.length, 'channel')} and is not shown. The recording was probably interrupted.`,
    );
  }
  return names;
}

/** Pages with the number of the first frame; `undefined` when frames bear no numbers or the file ends before the next. */
function pagesPerFrame({ file, page }: FlavorContext): number | undefined {
  const first = frameNumber(page);
  if (first === undefined) return undefined;
  for (let index = 1; index < Math.min(file.pageCount, MAX_CHANNELS + 1); index++) {
    const next = frameNumber(file.page(index));
    if (next === undefined) return undefined;
    if (next !== first) return index;
  }
  return undefined;
}

/** `frameNumbers = 1` (5.2 and later), `Frame Number = 1` (4, 5.0). */
function frameNumber(page: TiffPage): number | undefined {
  const match = /^\s*frame ?numbers?\s*=\s*(\d{1,12})\s*$/im.exec(textOf(page, IMAGE_DESCRIPTION).slice(0, 4096));
  return match ? Number(match[1]) : undefined;
}

/** The channel that a page's own header names, when it names just one. */
function ownChannel({ file }: FlavorContext, index: number): string | undefined {
  const own = parseScanImageText(textOf(file.page(index), SOFTWARE));
  const saved = own && savedChannels(own);
  return saved?.length === 1 ? saved[0]?.name : undefined;
}

/** `epoch = [2023  4 13 17 45 2.164]`: local start of the acquisition, in the description of a frame. */
export function epochClock(page: TiffPage): WallClock | undefined {
  const match = /^\s*epoch\s*=\s*(\[[^\]\r\n]{1,100}\])/m.exec(textOf(page, IMAGE_DESCRIPTION).slice(0, 4096));
  const numbers = match ? numbersOf(parseMatlab(match[1] as string)) : [];
  if (numbers.length !== 6) return undefined;
  const [year, month, day, hour, minute, second] = numbers.map((n) => String(Math.floor(n)).padStart(2, '0'));
  return parseDateTime(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
}
