import { decodeText } from './text.js';

/**
 * The INI dialect of Olympus settings: sections may repeat, values may be quoted, keys hold spaces, and the text is
 * UTF-16 or one of two 8-bit encodings.
 */
export interface Ini {
  /** A value without its quotes; `undefined` when section or key is missing. */
  text(section: string, key: string): string | undefined;
  /** A value as a finite number: `"3152.000"`, `0,207`. */
  number(section: string, key: string): number | undefined;
  /** All sections in file order, one entry per occurrence: in lists of shapes the order is the meaning. */
  readonly blocks: readonly IniBlock[];
}

export interface IniBlock {
  name: string;
  values: ReadonlyMap<string, string>;
}

export function parseIni(bytes: Uint8Array): Ini {
  return parseIniText(decodeText(bytes));
}

export function parseIniText(text: string): Ini {
  const sections = new Map<string, Map<string, string>>();
  const blocks: { name: string; values: Map<string, string> }[] = [];
  let block: Map<string, string> | undefined;
  let section: Map<string, string> | undefined;
  for (const raw of text.split(/\r\n|\n|\r/)) {
    const line = raw.trim();
    // A look-up table file goes on with binary data.
    if (line === '[ColorLUTData]') break;
    if (line === '' || line.startsWith(';')) continue;
    if (line.startsWith('[') && line.endsWith(']')) {
      const name = line.slice(1, -1);
      section = sections.get(name) ?? new Map();
      sections.set(name, section);
      block = new Map();
      blocks.push({ name, values: block });
      continue;
    }
    const at = line.indexOf('=');
    if (at <= 0) continue;
    const key = cleanKey(line.slice(0, at));
    const value = unquote(line.slice(at + 1).trim());
    section?.set(key, value);
    block?.set(key, value);
  }
  return {
    blocks,
    text: (section, key) => sections.get(section)?.get(key),
    number: (section, key) => parseIniNumber(sections.get(section)?.get(key)),
  };
}

/** Some files prefix keys with `GST…=`-like junk that ends in a control character. */
function cleanKey(key: string): string {
  return key.replace(/^.*[\u0000-\u0008\u000b-\u001f]/, '').trim();
}

function unquote(value: string): string {
  const quote = value[0];
  const quoted = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote);
  return quoted ? value.slice(1, -1) : value;
}

/**
 * Localised writers use a decimal comma, seen even as `0,207.0`: the first comma is then the decimal point and the rest
 * after a second separator is dropped.
 */
export function parseIniNumber(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const match = /^\s*([+-]?\d+)(?:([.,])(\d+))?(?:[.,]\d+)?((?:[eE][+-]?\d+)?)\s*$/.exec(value);
  if (!match) return undefined;
  const number = Number(`${match[1]}.${match[3] ?? '0'}${match[4]}`);
  return Number.isFinite(number) ? number : undefined;
}
