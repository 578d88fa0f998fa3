/**
 * Metadata of FluoView TIFFs (FV300, FV500, and the exports of FV30S-SW): MM_HEAD in tag 34361, the primary dimensions
 * in tag 285, the acquisition parameters in tag 270. All text is Latin-1 (µ is 0xB5).
 */
import { latin1 } from '../../../base/bytes.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../model/metadata/dates.js';

/** One dimension as the header lists it, fastest first. */
export interface RawFluoviewDimension {
  name: string;
  size: number;
  resolution: number;
  unit: string;
}

const DIMENSIONS_AT = 284;
const DIMENSION_BYTES = 100;
const DIMENSION_COUNT = 10;

/**
 * Parses the dimensions of MM_HEAD: ten structs of 100 bytes at 284, name[16], i32 size, f64 origin, f64 resolution,
 * unit[64]. Unused ones have no name. Returns `undefined` if the value is too short.
 */
export function parseMmHead(bytes: Uint8Array, littleEndian: boolean): RawFluoviewDimension[] | undefined {
  if (bytes.length < DIMENSIONS_AT + DIMENSION_COUNT * DIMENSION_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dimensions: RawFluoviewDimension[] = [];
  for (let i = 0; i < DIMENSION_COUNT; i++) {
    const at = DIMENSIONS_AT + i * DIMENSION_BYTES;
    const name = textOf(bytes.subarray(at, at + 16));
    if (name === '') continue;
    dimensions.push({
      name,
      size: view.getInt32(at + 16, littleEndian),
      resolution: view.getFloat64(at + 28, littleEndian),
      unit: textOf(bytes.subarray(at + 36, at + 100)),
    });
  }
  return dimensions;
}

/** Parses `[Primary Dimensions]` of tag 285: names, resolutions and units, separated by tabs, with six decimals. */
export function parsePrimaryDimensions(bytes: Uint8Array): Omit<RawFluoviewDimension, 'size'>[] | undefined {
  const text = textOf(bytes.subarray(0, 65_536));
  const row = (key: string) => new RegExp(String.raw`^${key}\t([^\r\n]*)`, 'm').exec(text)?.[1]?.split('\t');
  const [names, resolutions, units] = [row('Name'), row('Resolution'), row('Units')];
  if (!text.startsWith('[Primary Dimensions]') || !names || !resolutions || !units) return undefined;
  return names.slice(0, DIMENSION_COUNT).map((name, i) => ({
    name: name.trim(),
    resolution: Number(resolutions[i] ?? Number.NaN),
    unit: (units[i] ?? '').trim(),
  }));
}

/** Acquisition parameters of the ImageDescription. */
export interface FluoViewText {
  clock: WallClock;
  /** Dyes by channel number of the microscope, in ascending order. */
  dyes: string[];
}

/** Parses `Date=11-02-2022`, `Time=12:30:15`, `Channel 1 Dye=FITC`: lines of an INI-like text. */
export function parseFluoViewText(text: string): FluoViewText {
  const date = /^Date=\s*([^\r\n]{1,40})/m.exec(text)?.[1]?.trim() ?? '';
  const time = /^Time=\s*([^\r\n]{1,40})/m.exec(text)?.[1]?.trim() ?? '';
  const dyes = new Map<number, string>();
  for (const match of text.matchAll(/^Channel (\d{1,2}) Dye=([^\r\n]{1,200})/gm)) {
    dyes.set(Number(match[1]), match[2]!.trim());
  }
  const sorted = [...dyes].sort(([a], [b]) => a - b);
  return { clock: parseClock(date, time), dyes: sorted.map(([, dye]) => (/^none$/i.test(dye) ? '' : dye)) };
}

/** With hyphens the month comes first (real exports), with slashes the day; otherwise the other order is tried. */
function parseClock(date: string, time: string): WallClock {
  const text = `${date} ${time}`.trim();
  const orders = date.includes('/') ? (['dmy', 'mdy'] as const) : (['mdy', 'dmy'] as const);
  return parseDateTime(text, orders[0]) ?? parseDateTime(text, orders[1]) ?? NO_CLOCK;
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return latin1(end < 0 ? bytes : bytes.subarray(0, end)).trim();
}
