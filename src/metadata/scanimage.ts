/**
 * The header text of ScanImage: `key = value` lines (3.x: `state.key=value` with CR), values are MATLAB literals. The
 * prefix names the version: `state.` (3), `scanimage.SI4.` (4), `scanimage.SI.` (5.0, 5.1), `SI.` (5.2 and later).
 */
import { type ChannelDisplay, namedColor } from './colors.js';
import { type MatlabValue, numbersOf, parseMatlab, textsOf } from './matlab.js';

/** Lines that are looked at; a header has some hundreds to a few thousand. */
const MAX_LINES = 200_000;
/** Longest value that is kept: masks of resonant scanners take some thousand characters. */
const MAX_VALUE = 1_000_000;
/** Longest JSON that is parsed; hundreds of regions of interest take some megabytes. */
const MAX_JSON = 64 * 2 ** 20;

export interface ScanImageHeader {
  /** 3, 4, or 5 for 5.0 and everything later. */
  generation: 3 | 4 | 5;
  /** First finite number of the first key that has one. Keys without their prefix. */
  number(...keys: string[]): number | undefined;
  /** All numbers of the first key that is there. */
  numbers(...keys: string[]): number[] | undefined;
  /** Numbers by row of a matrix. */
  matrix(key: string): number[][] | undefined;
  texts(...keys: string[]): string[] | undefined;
  /** True for `true` and non-zero numbers. */
  flag(...keys: string[]): boolean | undefined;
}

/** Parses a header; `undefined` when there is no line of ScanImage in the text. */
export function parseScanImageText(text: string): ScanImageHeader | undefined {
  const raw = new Map<string, string>();
  let generation: ScanImageHeader['generation'] | undefined;
  for (const line of linesOf(text)) {
    const match = /^(state|scanimage\.SI4|scanimage\.SI5?|SI)\.([\w.]{1,200})\s*=\s*(.*)$/.exec(line);
    if (!match) continue;
    generation ??= match[1] === 'state' ? 3 : match[1] === 'scanimage.SI4' ? 4 : 5;
    const key = match[2] as string;
    if (!raw.has(key)) raw.set(key, match[3] as string);
  }
  if (generation === undefined) return undefined;
  const parse = (key: string): MatlabValue | undefined => {
    const value = raw.get(key);
    return value === undefined ? undefined : parseMatlab(value);
  };
  const first = <T>(keys: string[], pick: (value: MatlabValue | undefined) => T | undefined): T | undefined => {
    for (const key of keys) {
      const found = pick(parse(key));
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    generation,
    number: (...keys) => first(keys, (value) => numbersOf(value).find(Number.isFinite)),
    numbers: (...keys) => first(keys, (value) => (value === undefined ? undefined : numbersOf(value))),
    matrix: (key) => {
      const value = parse(key);
      return typeof value === 'object' ? value.rows.map((row) => row.flatMap(numbersOf)) : undefined;
    },
    texts: (...keys) => first(keys, (value) => (value === undefined ? undefined : textsOf(value))),
    flag: (...keys) => first(keys, (value) => (value === undefined ? undefined : (numbersOf(value)[0] || 0) !== 0)),
  };
}

export interface SavedChannel {
  number: number;
  name: string;
}

/**
 * How ScanImage shows channels, by their numbers: `channelLUT` lists black and white of every channel, saved or not, and
 * `channelMergeColor` the name of its color where channels are laid over each other.
 */
export function channelDisplays(header: ScanImageHeader, channels: readonly SavedChannel[]): ChannelDisplay[] {
  const limits = (header.matrix('hChannels.channelLUT') ?? header.matrix('channelsLUT') ?? []).flat();
  const colors = header.texts('hChannels.channelMergeColor', 'channelsMergeColor') ?? [];
  return channels.map(({ number }) => {
    const [start, end] = limits.slice(2 * (number - 1), 2 * number);
    return {
      color: namedColor(colors[number - 1]),
      window: start === undefined || end === undefined ? undefined : { start, end },
    };
  });
}

/** Channels that were saved, by number (1-based), and their names; `undefined` when the header does not say. */
export function savedChannels(header: ScanImageHeader): SavedChannel[] | undefined {
  const numbers = header.numbers('hChannels.channelSave', 'channelsSave', 'channelSave') ?? v3Channels(header);
  const valid = (numbers ?? []).filter((n) => Number.isInteger(n) && n >= 1 && n <= 1024).slice(0, 1024);
  if (valid.length === 0) return undefined;
  const names = header.texts('hChannels.channelName', 'channelsName') ?? [];
  return valid.map((number) => ({ number, name: names[number - 1] || `Channel ${number}` }));
}

/** 3.x: `savingChannel1 = 1` … `savingChannel4`, and their count. */
function v3Channels(header: ScanImageHeader): number[] | undefined {
  const saved = [1, 2, 3, 4].filter((n) => header.flag(`acq.savingChannel${n}`));
  const count = header.number('acq.numberOfChannelsSave');
  if (saved.length > 0 && (count === undefined || count === saved.length)) return saved;
  if (count === undefined || !(count >= 1 && count <= 1024)) return undefined;
  return Array.from({ length: Math.floor(count) }, (_, i) => i + 1);
}

/** Number of regions of interest that one frame shows, one below the other; from the RoiGroups JSON. */
export function countRois(json: string): number | undefined {
  if (json === '' || json.length > MAX_JSON) return undefined;
  try {
    const group = (JSON.parse(json) as { RoiGroups?: { imagingRoiGroup?: { rois?: unknown } } }).RoiGroups
      ?.imagingRoiGroup;
    if (group?.rois === undefined || group.rois === null) return undefined;
    return Array.isArray(group.rois) ? group.rois.length : 1;
  } catch {
    return undefined;
  }
}

function* linesOf(text: string): Generator<string> {
  const newline = /\r\n|\n|\r/g;
  let start = 0;
  for (let n = 0; n < MAX_LINES && start < text.length; n++) {
    const end = newline.exec(text)?.index ?? text.length;
    if (end - start <= MAX_VALUE) yield text.slice(start, end);
    start = end === text.length ? end : newline.lastIndex;
  }
}
