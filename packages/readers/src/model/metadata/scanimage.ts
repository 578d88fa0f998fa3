/**
 * The header text of ScanImage: `key = value` lines (version 3: `state.key=value` with CR) whose values are MATLAB literals.
 * The prefix depends on the version: `state.` (3), `scanimage.SI4.` (4), `scanimage.SI.` (5.0, 5.1), `SI.` (5.2 and later).
 */
import { type ChannelDisplay, namedColor } from './colors.js';
import { type MatlabValue, numbersOf, parseMatlab, textsOf } from './matlab.js';

/** Lines that are read. A header has a few hundred to a few thousand. */
const MAX_LINES = 200_000;
/** Longest line that is read. Masks of resonant scanners have a few thousand characters. */
const MAX_LINE = 1_000_000;

/** 3, 4, or 5 for 5.0 and all later versions. */
type Generation = 3 | 4 | 5;

/** A parsed header. Keys are without their prefix; of several keys, the first with a usable value counts. */
export interface ScanImageHeader {
  readonly generation: Generation;
  /** Returns the first finite number of a value. */
  number(...keys: string[]): number | undefined;
  /** Returns all numbers of a value. */
  numbers(...keys: string[]): number[] | undefined;
  /** Returns the numbers of a matrix by row. */
  matrix(key: string): number[][] | undefined;
  texts(...keys: string[]): string[] | undefined;
  /** True for `true` and non-zero numbers. */
  flag(...keys: string[]): boolean | undefined;
}

/** Parses a header; returns `undefined` if the text contains no line of ScanImage. */
export function parseScanImageText(text: string): ScanImageHeader | undefined {
  const values = new Map<string, string>();
  let generation: Generation | undefined;
  for (const line of splitLines(text)) {
    const [, prefix, key, value] = LINE.exec(line) ?? [];
    if (prefix === undefined || key === undefined || value === undefined) continue;
    generation ??= toGeneration(prefix);
    if (!values.has(key)) values.set(key, value);
  }
  return generation === undefined ? undefined : new ParsedHeader(generation, values);
}

const LINE = /^(state|scanimage\.SI4|scanimage\.SI5?|SI)\.([\w.]{1,200})\s*=\s*(.*)$/;

function toGeneration(prefix: string): Generation {
  if (prefix === 'state') return 3;
  return prefix === 'scanimage.SI4' ? 4 : 5;
}

class ParsedHeader implements ScanImageHeader {
  readonly generation: Generation;
  private readonly values: ReadonlyMap<string, string>;

  constructor(generation: Generation, values: ReadonlyMap<string, string>) {
    this.generation = generation;
    this.values = values;
  }

  number(...keys: string[]): number | undefined {
    return this.first(keys, (value) => numbersOf(value).find(Number.isFinite));
  }

  numbers(...keys: string[]): number[] | undefined {
    return this.first(keys, numbersOf);
  }

  matrix(key: string): number[][] | undefined {
    return this.first([key], (value) =>
      typeof value === 'object' ? value.rows.map((row) => row.flatMap(numbersOf)) : undefined,
    );
  }

  texts(...keys: string[]): string[] | undefined {
    return this.first(keys, textsOf);
  }

  flag(...keys: string[]): boolean | undefined {
    return this.first(keys, (value) => (numbersOf(value)[0] || 0) !== 0);
  }

  private first<T>(keys: readonly string[], pick: (value: MatlabValue) => T | undefined): T | undefined {
    for (const key of keys) {
      const text = this.values.get(key);
      const picked = text === undefined ? undefined : pick(parseMatlab(text));
      if (picked !== undefined) return picked;
    }
    return undefined;
  }
}

export interface SavedChannel {
  number: number;
  name: string;
}

/**
 * Returns how ScanImage shows the channels. For every channel, saved or not, `channelLUT` lists the values shown as black
 * and white, and `channelMergeColor` the name of its color in overlays.
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

/** Returns the number (1-based) and name of the saved channels; `undefined` if the header does not list them. */
export function savedChannels(header: ScanImageHeader): SavedChannel[] | undefined {
  const numbers = header.numbers('hChannels.channelSave', 'channelsSave', 'channelSave') ?? findV3Channels(header);
  const valid = (numbers ?? []).filter((n) => Number.isInteger(n) && n >= 1 && n <= 1024).slice(0, 1024);
  if (valid.length === 0) return undefined;
  const names = header.texts('hChannels.channelName', 'channelsName') ?? [];
  return valid.map((number) => ({ number, name: names[number - 1] || `Channel ${number}` }));
}

/** Version 3 has `savingChannel1 = 1` … `savingChannel4`, and their count. */
function findV3Channels(header: ScanImageHeader): number[] | undefined {
  const saved = [1, 2, 3, 4].filter((n) => header.flag(`acq.savingChannel${n}`));
  const count = header.number('acq.numberOfChannelsSave');
  if (saved.length > 0 && (count === undefined || count === saved.length)) return saved;
  if (count === undefined || !(count >= 1 && count <= 1024)) return undefined;
  return Array.from({ length: Math.floor(count) }, (_, i) => i + 1);
}

function* splitLines(text: string): Generator<string> {
  const newline = /\r\n|\n|\r/g;
  let start = 0;
  for (let n = 0; n < MAX_LINES && start < text.length; n++) {
    const end = newline.exec(text)?.index ?? text.length;
    if (end - start <= MAX_LINE) yield text.slice(start, end);
    start = end === text.length ? end : newline.lastIndex;
  }
}
