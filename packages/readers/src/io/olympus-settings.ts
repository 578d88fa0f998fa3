import { decodeText } from './text.js';

/**
 * Settings of Olympus FluoView: sections of `key=value` lines as in an INI file, but sections may repeat, values may be
 * quoted, keys contain spaces, and the text is UTF-16 or in one of two 8-bit encodings.
 */
export interface OlympusSettings {
  /** Returns a value without its quotes; `undefined` when the section or key is missing. */
  text(section: string, key: string): string | undefined;
  /** Returns a value as a finite number: `"3152.000"`, `0,207`. */
  number(section: string, key: string): number | undefined;
  /** All sections in file order, one entry per occurrence: in lists of shapes the order matters. */
  readonly blocks: readonly SettingsBlock[];
}

export function parseSettings(bytes: Uint8Array): OlympusSettings {
  return parseSettingsText(decodeText(bytes));
}

/** Values of a section are parsed when it is asked for: an open needs a few of hundreds of sections. */
export function parseSettingsText(text: string): OlympusSettings {
  const blocks = findBlocks(/\r(?!\n)/.test(text) ? text.replaceAll('\r', '\n') : text);
  const sections = new Map<string, SettingsBlock[]>();
  for (const block of blocks) {
    const section = sections.get(block.name);
    if (section) section.push(block);
    else sections.set(block.name, [block]);
  }
  const find = (section: string, key: string) => {
    const last = sections.get(section)?.findLast(({ values }) => values.has(key));
    return last?.values.get(key);
  };
  return { blocks, text: find, number: (section, key) => parseDecimal(find(section, key)) };
}

/** One occurrence of a section. */
class SettingsBlock {
  readonly name: string;
  private readonly lines: string;
  private parsed: Map<string, string> | undefined;

  constructor(name: string, lines: string) {
    this.name = name;
    this.lines = lines;
  }

  get values(): ReadonlyMap<string, string> {
    this.parsed ??= parseValues(this.lines);
    return this.parsed;
  }
}

/** Finds the sections of a text whose lines end in `\n`. */
function findBlocks(text: string): SettingsBlock[] {
  const blocks: SettingsBlock[] = [];
  let name: string | undefined;
  let start = 0;
  const endBlock = (end: number) => {
    if (name !== undefined) blocks.push(new SettingsBlock(name, text.slice(start, end)));
  };
  for (let at = text.indexOf('['); at >= 0; ) {
    const lineStart = text.lastIndexOf('\n', at) + 1;
    const lineEnd = endOfLine(text, at);
    const line = text.slice(lineStart, lineEnd).trim();
    if (line.startsWith('[') && line.endsWith(']')) {
      endBlock(lineStart);
      // In a look-up table file, binary data follow.
      if (line === '[ColorLUTData]') return blocks;
      name = line.slice(1, -1);
      start = lineEnd;
    }
    at = text.indexOf('[', lineEnd);
  }
  endBlock(text.length);
  return blocks;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function parseValues(lines: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const untrimmed of lines.split('\n')) {
    const line = untrimmed.trim();
    const equals = line.startsWith(';') ? 0 : line.indexOf('=');
    if (equals > 0) values.set(cleanKey(line.slice(0, equals)), unquote(line.slice(equals + 1).trim()));
  }
  return values;
}

/** Removes the `GST…=`-like junk that some files put before keys; it ends in a control character. */
function cleanKey(key: string): string {
  for (let i = 0; i < key.length; i++) {
    if (key.charCodeAt(i) < 0x20) return key.replace(/^.*[\u0000-\u0008\u000b-\u001f]/, '').trim();
  }
  return key.trim();
}

function unquote(value: string): string {
  const quote = value[0];
  const quoted = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return quoted ? value.slice(1, -1) : value;
}

/**
 * Returns a number with a decimal point or comma. Localized writers use a comma, in some files even as `0,207.0`: the
 * first separator is then the decimal point, and the digits after the second one are ignored.
 */
export function parseDecimal(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const match = /^\s*([+-]?\d+)(?:([.,])(\d+))?(?:[.,]\d+)?((?:[eE][+-]?\d+)?)\s*$/.exec(value);
  if (!match) return undefined;
  const number = Number(`${match[1]}.${match[3] ?? '0'}${match[4]}`);
  return Number.isFinite(number) ? number : undefined;
}
