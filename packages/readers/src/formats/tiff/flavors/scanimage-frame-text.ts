import { ignoreCorrupted } from '../../../base/errors.js';
import type { ByteSource } from '../../../io/byte-source.js';
import { decodeText } from '../../../io/text.js';
import { parseDateTime, type WallClock } from '../../../model/metadata/dates.js';
import { numbersOf, parseMatlab } from '../../../model/metadata/matlab.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import type { PageRun } from './scanimage-pages.js';

/** Lines about the frame stand at the start of a description; versions before 5.2 write the whole header behind them. */
const READ_BYTES = 4096;

/** What the description of a page says about its frame. */
export interface FrameText {
  /** 1-based number of the frame; the channels of a frame share it. */
  number?: number;
  /** 1-based number of the frame in its own acquisition. Loops have several acquisitions. */
  numberInAcquisition?: number;
  acquisition?: number;
  /** Time stamp, in seconds since the start of the acquisition. */
  seconds?: number;
  /** Local start of the acquisition. */
  epoch?: WallClock;
}

/** Reads the descriptions of pages, each once. Versions before 4 have none that is about a frame. */
export class FrameTexts {
  private readonly pages: Pick<PageRun, 'page' | 'fileOf'>;
  private readonly read = new Map<number, FrameText>();

  constructor(pages: Pick<PageRun, 'page' | 'fileOf'>) {
    this.pages = pages;
  }

  /** Returns an empty text for a page without one, or whose tags are corrupted. */
  at(index: number): FrameText {
    const known = this.read.get(index);
    if (known) return known;
    const text = parseFrameText(this.text(index));
    this.read.set(index, text);
    return text;
  }

  /** Reads the time stamp of one of many pages. Keeps nothing. */
  secondsAt(index: number): number {
    return this.read.get(index)?.seconds ?? parseNumber('seconds', this.text(index));
  }

  private text(index: number): string {
    return ignoreCorrupted(() => readStart(this.pages.fileOf(index), this.pages.page(index))) ?? '';
  }
}

function readStart({ source }: Pick<TiffFile, 'source'>, page: TiffPage): string {
  const tag = page.tags.get(TAG.imageDescription);
  if (tag?.type !== 2) return '';
  const text = decodeText(source.read(tag.valueOffset, Math.min(tag.byteLength, READ_BYTES)));
  return text.replace(/\0[\s\S]*$/, '');
}

const NUMBER = '[-+]?\\d[\\d.eE+-]{0,30}';
/** `frameNumbers = 1` (5.1 and later), `Frame Number = 1` (4, 5.0), `"frameNumbers": 1,` (headers as JSON). */
const line = (key: string, value = '\\d{1,12}') => new RegExp(`^\\s*"?${key}"?\\s*[=:]\\s*(${value})\\s*,?\\s*$`, 'im');
const LINES = {
  number: line('frame ?numbers?'),
  numberInAcquisition: line('frame ?number ?acquisition'),
  acquisition: line('acquisition ?numbers?'),
  seconds: line('frame ?timestamps?(?:_sec|\\(s\\))?', NUMBER),
} as const;
/** ScanImage is from 2003; a clock that was not set says 1601. */
const FIRST_YEAR = 2000;

/** Parses the lines `key = value` of a description. */
function parseFrameText(text: string): FrameText {
  const found: FrameText = {};
  for (const key of ['number', 'numberInAcquisition', 'acquisition', 'seconds'] as const) {
    const value = parseNumber(key, text);
    if (Number.isFinite(value)) found[key] = value;
  }
  const epoch = parseEpoch(text);
  return epoch ? { ...found, epoch } : found;
}

/** Returns `NaN` without a finite number. */
function parseNumber(key: keyof typeof LINES, text: string): number {
  const value = Number(LINES[key].exec(text)?.[1] ?? Number.NaN);
  return Number.isFinite(value) ? value : Number.NaN;
}

/** Reads what a page says about its frame. @param source of the file that the page is in */
export function readFrameText(source: ByteSource, page: TiffPage): FrameText {
  return parseFrameText(ignoreCorrupted(() => readStart({ source }, page)) ?? '');
}

/** Parses `epoch = [2023  4 13 17 45 2.164]`, which headers as JSON have with commas. */
function parseEpoch(text: string): WallClock | undefined {
  const match = /^\s*"?epoch"?\s*[=:]\s*(\[[^\]\r\n]{1,100}\])/m.exec(text);
  const numbers = match ? numbersOf(parseMatlab(match[1]!)) : [];
  if (numbers.length !== 6 || !(numbers[0]! >= FIRST_YEAR)) return undefined;
  const [year, month, day, hour, minute, second] = numbers.map((n) => String(Math.floor(n)).padStart(2, '0'));
  return parseDateTime(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
}
