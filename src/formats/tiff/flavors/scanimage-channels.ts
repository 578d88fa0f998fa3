import { parseDateTime, type WallClock } from '../../../metadata/dates.js';
import { numbersOf, parseMatlab } from '../../../metadata/matlab.js';
import { parseScanImageText, type ScanImageHeader, savedChannels } from '../../../metadata/scanimage.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import { plural } from '../../../wording.js';
import { readDescription, readText } from '../parse.js';

/** Pages that are read to count channels. ScanImage has at most 4 to 64. */
const MAX_CHANNELS = 64;

/**
 * Returns channel names in the order of the pages. Pages of one frame have its number, which is more reliable than the
 * header: files that other programs split or merged keep the header of one channel.
 * @param pages number of pages in the file
 */
export function findChannels(
  file: TiffFile,
  header: ScanImageHeader,
  pages: number,
): { names: string[]; note?: string } {
  const names = (savedChannels(header) ?? [{ number: 1, name: 'Channel 1' }]).map(({ name }) => name);
  const saved = plural(names.length, 'channel');
  const perFrame = countPagesPerFrame(file);
  if (perFrame !== undefined && perFrame !== names.length) {
    return {
      names: Array.from({ length: perFrame }, (_, index) => findChannelName(file, index) ?? `Channel ${index + 1}`),
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
function countPagesPerFrame(file: TiffFile): number | undefined {
  const first = readFrameNumber(file.page(0));
  if (first === undefined) return undefined;
  for (let index = 1; index < Math.min(file.pageCount, MAX_CHANNELS + 1); index++) {
    const next = readFrameNumber(file.page(index));
    if (next === undefined) return undefined;
    if (next !== first) return index;
  }
  return undefined;
}

/** Reads `frameNumbers = 1` (5.2 and later), `Frame Number = 1` (4, 5.0). */
function readFrameNumber(page: TiffPage): number | undefined {
  const match = /^\s*frame ?numbers?\s*=\s*(\d{1,12})\s*$/im.exec(readDescription(page).slice(0, 4096));
  return match ? Number(match[1]) : undefined;
}

/** Returns the channel in the header of a single page, if it lists just one. */
function findChannelName(file: TiffFile, index: number): string | undefined {
  const header = parseScanImageText(readText(file.page(index), TAG.software));
  const saved = header && savedChannels(header);
  return saved?.length === 1 ? saved[0]?.name : undefined;
}

/** Reads `epoch = [2023  4 13 17 45 2.164]`, the local start of the acquisition, in the description of a frame. */
export function readEpoch(page: TiffPage): WallClock | undefined {
  const match = /^\s*epoch\s*=\s*(\[[^\]\r\n]{1,100}\])/m.exec(readDescription(page).slice(0, 4096));
  const numbers = match ? numbersOf(parseMatlab(match[1]!)) : [];
  if (numbers.length !== 6) return undefined;
  const [year, month, day, hour, minute, second] = numbers.map((n) => String(Math.floor(n)).padStart(2, '0'));
  return parseDateTime(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
}
