/** Formats and parses numbers in small fields. */

/** Formats a number with seven digits, the precision of a float32. */
export function fieldText(value: number): string {
  return String(Number(value.toPrecision(7)));
}

/** Formats a number with four digits; whole numbers below a million have all their digits. */
export function shortText(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const short = Number(value.toPrecision(4));
  const size = Math.abs(short);
  return size !== 0 && (size >= 1e6 || size < 1e-3) ? short.toExponential().replace('e+', 'e') : String(short);
}

/** Parses a decimal number, also `1e3`, `1 000` and `0,5`. Returns null when the text is not a number. */
export function parseNumber(text: string): number | null {
  let plain = text.replace(/[\s_\u00a0\u202f']/g, '').replace(/[\u2212\u2013]/g, '-');
  if (!plain.includes('.') && plain.split(',').length === 2) plain = plain.replace(',', '.');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  const value = Number(plain);
  return Math.abs(value) <= 3.4e38 ? value : null;
}

/** Formats a fraction as a percentage, which is never 0 % for a part that is not empty. */
export function percentText(part: number, all: number): string {
  if (part <= 0 || all <= 0) return '0 %';
  const percent = (100 * part) / all;
  if (percent < 0.01) return '< 0.01 %';
  return `${Number(percent.toPrecision(percent < 1 ? 2 : 3))} %`;
}
