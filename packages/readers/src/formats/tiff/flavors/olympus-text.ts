/**
 * The `.txt` that FluoView (FV30S-SW: FVMPE-RS, FV3000) writes beside an exported TIFF. In real files each line is a pair,
 * `"Key"` TAB `"Value"`; sections are pairs `"[Section]"` TAB `""`; keys repeat in different sections. Shortened files
 * without sections, quotes or units are accepted too: their numbers are found by position.
 */
import { toUnit } from '../../../model/metadata/units.js';

/** Values by section and key. Pairs before the first section are in the section `''`. */
export type RawSidecar = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Lines that are read. Real files have about 60, or a few thousand with many stimulation events. */
const MAX_LINES = 200_000;
const MAX_LINE = 4_096;
const KNOWN_KEYS = ['X Dimension', 'T Dimension', 'Image Size', 'Channel Dimension', 'Scan Mode', 'Primary Dimensions'];

/** Parses the pairs. The first of equal keys in a section counts; lines that are not pairs are ignored. */
export function parseSidecar(text: string): RawSidecar {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  sections.set('', section);
  for (const line of splitLines(text)) {
    const pair = /^\s*"([^"]{1,200})"[ \t]*(.*)$/.exec(line);
    if (!pair) continue;
    const key = pair[1]!.trim();
    const value = unquote(pair[2]!);
    const header = /^\[(.+)\]$/.exec(key);
    if (header) section = openSection(sections, header[1]!.trim());
    else if (!section.has(key)) section.set(key, value);
  }
  return sections;
}

/** True for such a text file, rather than a note that happens to have the same name. */
export function isOlympusSidecar(sidecar: RawSidecar): boolean {
  return KNOWN_KEYS.some((key) => ['Dimensions', 'Image', 'General', ''].some((name) => sidecar.get(name)?.has(key)));
}

/** Returns the value of a key in its section, or before any section (shortened files). */
export function sidecarValue(sidecar: RawSidecar, section: string, key: string): string | undefined {
  return sidecar.get(section)?.get(key) ?? sidecar.get('')?.get(key);
}

const NUMBER = String.raw`\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?`;

/** Parses `0.284 [um/pixel]`, `1.00 [um/slice]`: the number before the bracket, in µm; without one, the last number. */
export function parseStepValue(value: string): number | undefined {
  const strict = new RegExp(
    String.raw`(?<![-\d.])(${NUMBER})\s*\[\s*([^\]/]{1,20}?)\s*/\s*(?:pixel|slice)\s*\]`,
    'i',
  ).exec(value);
  if (strict) return toUnit('micrometer', toNumber(strict[1]!), strict[2]!);
  if (/[[\]]/.test(value)) return undefined;
  const last = value.trim().split(/\s+/).at(-1)!;
  return new RegExp(`^${NUMBER}$`).test(last) ? toNumber(last) : undefined;
}

/** Parses `38 * 30000 [pixel]`, `512 x 1000 y`. */
export function parseImageSize(value: string): { columns: number; rows: number } | undefined {
  const match = /^\s*(\d{1,9})\s*[*x×]\s*(\d{1,9})(?!\d)/i.exec(value);
  return match ? { columns: Number(match[1]), rows: Number(match[2]) } : undefined;
}

export interface Quantity {
  value: number;
  unit: string;
}

/** Parses the extents of the two axes, such as `10.796 [um] * 35100.000 [ms]`. */
export function parseConvertedSize(value: string): { first: Quantity; second: Quantity } | undefined {
  const side = String.raw`(${NUMBER})\s*\[([^\]]{1,20})\]`;
  const match = new RegExp(String.raw`^\s*${side}\s*[*x×]\s*${side}`, 'i').exec(value);
  if (!match) return undefined;
  return {
    first: { value: toNumber(match[1]!), unit: match[2]! },
    second: { value: toNumber(match[3]!), unit: match[4]! },
  };
}

/** The T line in seconds: the time of the last line (or frame) or, in shortened files, the whole duration. */
export interface TimeRange {
  /** Number of time points; 1 for a line scan. */
  count: number | undefined;
  end: number | undefined;
  duration: number | undefined;
  /** The interval between frames, if the line has one. */
  interval: number | undefined;
}

/** Parses `1, 0.000 - 35.099 [s], Interval FreeRun`, or `0 0 0 100.0`, whose fourth token is the duration. */
export function parseTimeDimension(value: string): TimeRange {
  const end = new RegExp(String.raw`-\s*(${NUMBER})\s*\[([^\]]{1,20})\]`).exec(value);
  const interval = new RegExp(String.raw`Interval\s+(${NUMBER})\s*\[([^\]]{1,20})\]`, 'i').exec(value);
  const token = value.trim().split(/\s+/)[3];
  return {
    count: leadingInteger(value),
    end: end ? toSeconds(end) : undefined,
    duration: !end && token !== undefined && new RegExp(`^${NUMBER}$`).test(token) ? toNumber(token) : undefined,
    interval: interval ? toSeconds(interval) : undefined,
  };
}

/** Parses the count at the start of `2 [Ch]`, `12 [bits]`, `1 1`. */
export function leadingInteger(value: string | undefined): number | undefined {
  const match = /^\s*(\d{1,9})(?!\d)/.exec(value ?? '');
  return match ? Number(match[1]) : undefined;
}

function toSeconds(match: RegExpExecArray): number | undefined {
  return toUnit('seconds', toNumber(match[1]!), match[2]!);
}

function toNumber(text: string): number {
  return Number(text.replace(',', '.'));
}

/** Yields lines that end with CRLF, LF or CR, truncated to the maximum length. */
function* splitLines(text: string): Generator<string> {
  const newline = /\r\n|\n|\r/g;
  let start = 0;
  for (let n = 0; n < MAX_LINES && start < text.length; n++) {
    const end = newline.exec(text)?.index ?? text.length;
    yield text.slice(start, Math.min(end, start + MAX_LINE));
    start = end === text.length ? end : newline.lastIndex;
  }
}

function unquote(rest: string): string {
  return rest.replaceAll('"', '').trim();
}

function openSection(sections: Map<string, Map<string, string>>, name: string): Map<string, string> {
  const section = sections.get(name) ?? new Map<string, string>();
  sections.set(name, section);
  return section;
}
