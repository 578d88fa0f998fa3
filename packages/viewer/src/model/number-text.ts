/**
 * Numbers as text on screen, in one style for the whole page: `30,000`, `−0.0125`, `2.5e-7`, `1.17 ms`, `3.07 MB`.
 * Text for files and addresses does not belong here: it has no thousands separators.
 */
import { scaleFor } from './units.ts';

/** Numbers from this size on are written with an exponent, unless all their digits are wanted. */
const EXPONENT_FROM = 1e9;
const EXPONENT_BELOW = 1e-4;

/**
 * Formats a number with `digits` significant digits, without trailing zeros. The digits before the decimal point are
 * never rounded. Returns `–` for NaN, `∞` and `−∞`.
 */
export function formatNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : infinity(value);
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= EXPONENT_FROM || size < EXPONENT_BELOW) return styled(Number(value.toPrecision(digits)).toExponential());
  return styled(String(Number(value.toFixed(decimalsFor(size, digits)))));
}

/** Formats a number with a fixed number of decimals, at most 20. */
export function formatFixed(value: number, decimals: number): string {
  const text = value.toFixed(Math.min(20, Math.max(0, decimals)));
  return styled(Number(text) === 0 ? text.replace('-', '') : text);
}

/** Returns two digits and a power of ten, for the narrowest places: `1.3e4`, `−2.0e−6`. */
export function formatPower(value: number): string {
  return value.toExponential(1).replace('e+', 'e').replaceAll('-', '−');
}

/** Returns the decimals that tell multiples of a step apart: those of the step with three digits, and at least one. */
export function stepDecimals(step: number): number {
  const [, fraction = ''] = String(Number(step.toPrecision(3))).split('.');
  return step < 1e-6 ? 12 : Math.min(12, Math.max(1, fraction.length));
}

/**
 * Formats the ends of a range so that they can be told apart: with `digits` significant digits of its length. A value
 * that is zero but for rounding errors is `0`.
 */
export function formatRange(from: number, to: number, digits = 6): [string, string] {
  const decimals = decimalsFor(Math.abs(to - from), digits);
  const text = (value: number) => styled(String(Number(value.toFixed(Math.min(20, decimals))) || 0));
  return [text(from), text(to)];
}

/**
 * Formats the ends of the range of a channel, for captions: with as many decimals as four digits of their distance have. An
 * end that differs from zero only by rounding errors of the samples is `0`; very small and large numbers have three digits.
 */
export function formatEnds(min: number, max: number): [string, string] {
  const zero = 1e-6 * (max - min);
  const [low, high] = formatRange(min, max, 4);
  const text = (value: number, usual: string) => {
    const size = Math.abs(value);
    if (size <= zero) return '0';
    return size >= EXPONENT_FROM || size < EXPONENT_BELOW ? formatNumber(value, 3) : usual;
  };
  return [text(min, low), text(max, high)];
}

/** Formats a sample with all digits of a float32 and no more: 0.1, not 0.10000000149011612. */
export function formatSample(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : infinity(value);
  return styled(String(shortest(value)));
}

/** Returns the shortest decimal that converts to the same float32. */
export function shortest(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  for (let digits = 6; digits < 10; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}

/** Formats a length or duration in a suitable unit with `digits` significant digits: `1.17 ms`. */
export function formatQuantity(value: number, unit: string, digits = 4): string {
  const scale = scaleFor(unit, value);
  const text = formatNumber(value * scale.factor, digits);
  return scale.unit === '' ? text : `${text} ${scale.unit}`;
}

/** Formats a size in decimal units, as file managers show it. */
export function formatBytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length, Math.floor(Math.log10(value) / 3));
  return `${formatNumber(value / 1000 ** power, 3)} ${units[power - 1]}`;
}

/** Formats a fraction as a percentage, which is never 0 % for a part that is not empty. */
export function formatPercent(part: number, all: number): string {
  if (part <= 0 || all <= 0) return '0 %';
  const percent = (100 * part) / all;
  if (percent < 0.01) return '< 0.01 %';
  return `${formatNumber(percent, percent < 1 ? 2 : 3)} %`;
}

/** Formats a duration as minutes and seconds: `9:58`. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Formats a number for a field, with the seven digits of a float32 and without separators, so that it can be edited. */
export function fieldText(value: number): string {
  return String(Number(value.toPrecision(7)));
}

/**
 * Parses a decimal number, also `1e3`, `1,234.5`, `1 000` and `0,5`. Returns null when the text is not a number. A
 * single comma before three digits separates thousands, as in all numbers of the page.
 */
export function parseNumber(text: string): number | null {
  let plain = text.replace(/[\s_\u00a0\u202f']/g, '').replace(/[\u2212\u2013]/g, '-');
  if (/^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(plain)) plain = plain.replaceAll(',', '');
  else if (!plain.includes('.') && plain.split(',').length === 2) plain = plain.replace(',', '.');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  const value = Number(plain);
  return Math.abs(value) <= 3.4e38 ? value : null;
}

/** Returns the decimals that a number of this size needs for its significant digits. */
function decimalsFor(size: number, digits: number): number {
  return size === 0 ? 0 : Math.min(20, Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
}

function infinity(value: number): string {
  return value > 0 ? '∞' : '−∞';
}

/** Puts a decimal text of JavaScript into the style of the page: a true minus, thousands separators, `e6` for `e+6`. */
function styled(text: string): string {
  const [mantissa = '', exponent] = text.split('e');
  const [whole = '', fraction] = mantissa.replace('-', '−').split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const tail = exponent === undefined ? '' : `e${exponent.replace('+', '')}`;
  return grouped + (fraction === undefined ? '' : `.${fraction}`) + tail;
}

/** Returns `1 section`, `2,000 sections`. */
export function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns words with a capital letter, for the beginning of a line. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
