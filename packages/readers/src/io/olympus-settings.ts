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

interface SettingsBlock {
  name: string;
  values: ReadonlyMap<string, string>;
}

export function parseSettings(bytes: Uint8Array): OlympusSettings {
  return parseSettingsText(decodeText(bytes));
}

export function parseSettingsText(text: string): OlympusSettings {
  const sections = new Map<string, Map<string, string>>();
  const blocks: { name: string; values: Map<string, string> }[] = [];
  /** Sections that have occurred once, as nearly all do: they are their only block. */
  const shared = new Set<Map<string, string>>();
  let block: Map<string, string> | undefined;
  let section: Map<string, string> | undefined;
  for (const untrimmed of splitLines(text)) {
    const line = untrimmed.trim();
    // In a look-up table file, binary data follow.
    if (line === '[ColorLUTData]') break;
    if (line === '' || line.startsWith(';')) continue;
    if (line.startsWith('[') && line.endsWith(']')) {
      const name = line.slice(1, -1);
      block = new Map();
      blocks.push({ name, values: block });
      section = sections.get(name);
      if (!section || shared.delete(section)) section = section ? new Map(section) : block;
      if (section === block) shared.add(block);
      sections.set(name, section);
      continue;
    }
    const equals = line.indexOf('=');
    if (equals <= 0) continue;
    const key = cleanKey(line.slice(0, equals));
    const value = unquote(line.slice(equals + 1).trim());
    block?.set(key, value);
    if (section !== block) section?.set(key, value);
  }
  return {
    blocks,
    text: (section, key) => sections.get(section)?.get(key),
    number: (section, key) => parseDecimal(sections.get(section)?.get(key)),
  };
}

/** Splits a text at each kind of line end, but may leave a `\r` at the end of a line. */
function splitLines(text: string): string[] {
  const lines = text.split('\n');
  const hasOther = (line: string) => {
    const at = line.indexOf('\r');
    return at >= 0 && at < line.length - 1;
  };
  return lines.some(hasOther) ? lines.flatMap((line) => line.split('\r')) : lines;
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
