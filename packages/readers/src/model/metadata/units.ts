/** The meaning of a unit text: `value × factor` is in `unit`. */
export interface UnitMeaning {
  unit: 'micrometer' | 'seconds';
  factor: number;
}

const LENGTHS: Record<string, number> = {
  pm: 1e-6,
  angstrom: 1e-4,
  nm: 1e-3,
  nanometer: 1e-3,
  um: 1,
  micrometer: 1,
  micron: 1,
  mm: 1e3,
  millimeter: 1e3,
  cm: 1e4,
  centimeter: 1e4,
  dm: 1e5,
  m: 1e6,
  meter: 1e6,
  km: 1e9,
  in: 25_400,
  inch: 25_400,
  '"': 25_400,
  thou: 25.4,
  mil: 25.4,
  pt: 25_400 / 72,
  ft: 304_800,
  foot: 304_800,
  yard: 914_400,
  mile: 1_609_344_000,
};

const TIMES: Record<string, number> = {
  ps: 1e-12,
  ns: 1e-9,
  nanosecond: 1e-9,
  us: 1e-6,
  microsecond: 1e-6,
  usec: 1e-6,
  ms: 1e-3,
  msec: 1e-3,
  millisecond: 1e-3,
  s: 1,
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  h: 3_600,
  hr: 3_600,
  hour: 3_600,
  d: 86_400,
  day: 86_400,
};

/** Powers of ten of prefixes in words, as in OME-Zarr (UDUNITS-2): `picometer`, `centisecond`. */
const PREFIXES: Record<string, number> = {
  yotta: 24,
  zetta: 21,
  exa: 18,
  peta: 15,
  tera: 12,
  giga: 9,
  mega: 6,
  kilo: 3,
  hecto: 2,
  deca: 1,
  deci: -1,
  centi: -2,
  milli: -3,
  micro: -6,
  nano: -9,
  pico: -12,
  femto: -15,
  atto: -18,
  zepto: -21,
  yocto: -24,
};

/** Unit texts of files that are not calibrated. */
const UNCALIBRATED = new Set([
  ...['', 'pixel', 'pixels', 'px', 'frame', 'frames', 'slice', 'slices', 'plane', 'planes'],
  ...['reference frame', 'none', 'null', 'unknown', 'undefined'],
]);

/**
 * Returns the meaning of a unit text in any spelling that files use: `um`, `µm` (U+00B5, U+03BC or one character, U+339B;
 * also as the escapes `\u00B5` of Java and `\xb5` of Python, or as the bytes of UTF-8, Shift-JIS or GBK decoded as Latin-1),
 * `microns`, `nm`, `Å`, `inch`, `ms`, `sec`, `min` … Returns `undefined` for anything else.
 */
export function unitMeaning(text: string): UnitMeaning | undefined {
  if (text.length > 40) return undefined;
  const key = normalizeUnit(text);
  const length = lookUp(LENGTHS, key);
  if (length !== undefined) return { unit: 'micrometer', factor: length };
  const time = lookUp(TIMES, key);
  return time === undefined ? parsePrefixed(key) : { unit: 'seconds', factor: time };
}

/**
 * Converts a value. Units below those of the contract divide by a whole number, where multiplying would round: 20 µs are
 * 0.00002 s, not 0.000019999999999999998 s.
 */
export function inUnit(value: number, { factor }: UnitMeaning): number {
  return factor >= 1 ? value * factor : value / Math.round(1 / factor);
}

/** Converts a value with the text of its unit; `undefined` when that is not one of length, or of time. */
export function toUnit(unit: UnitMeaning['unit'], value: number | undefined, text: string): number | undefined {
  const meaning = unitMeaning(text);
  return value === undefined || meaning?.unit !== unit ? undefined : inUnit(value, meaning);
}

function parsePrefixed(key: string): UnitMeaning | undefined {
  const [, prefix = '', base] = /^([a-z]+?)(meter|second|sec)s?$/.exec(key) ?? [];
  if (!Object.hasOwn(PREFIXES, prefix)) return undefined;
  const power = PREFIXES[prefix]!;
  if (base !== 'meter') return { unit: 'seconds', factor: Number(`1e${power}`) };
  return { unit: 'micrometer', factor: Number(`1e${power + 6}`) };
}

/** True if the text is missing, or says that there is no physical unit. */
export function isUncalibrated(text: string | undefined): boolean {
  return text === undefined || UNCALIBRATED.has(text.trim().toLowerCase());
}

/**
 * A micro sign whose bytes were decoded by another character set: UTF-8 (µ and μ), Shift-JIS, GBK and EUC-JP, EUC-KR as
 * Latin-1 or Windows-1252, or lost.
 */
const MISREAD_MICRO = /^(?:Â\u00b5|Î¼|[\u0083ƒ]Ê|¦Ì|¥ì|\ufffd{1,2})(?=[a-z])/i;

function normalizeUnit(text: string): string {
  return text
    .trim()
    .replace(/^[[(]|[\])]$/g, '')
    .replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, long?: string, short?: string) =>
      String.fromCharCode(Number.parseInt(long ?? short ?? '', 16)),
    )
    .replace(MISREAD_MICRO, 'u')
    .replace(/^Â(?=[\u00c5\u212b])/, '')
    .normalize('NFKC')
    .replace(/^\u03bc/, 'u')
    .replace(/^\u00c5(ngstr[oö]m)?s?$/i, 'angstrom')
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/metre/, 'meter');
}

function lookUp(table: Record<string, number>, key: string): number | undefined {
  if (Object.hasOwn(table, key)) return table[key];
  const singular = key === 'inches' ? 'inch' : key.replace(/s$/, '');
  // Only words have a plural: "ms" is a millisecond, never several meters.
  return singular.length > 2 && Object.hasOwn(table, singular) ? table[singular] : undefined;
}
