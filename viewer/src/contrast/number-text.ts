/** Numbers as people write and read them in small fields. */

/** Seven digits, what a float32 holds. */
export function fieldText(value: number): string {
  return String(Number(value.toPrecision(7)));
}

/** Four digits for facts beside a picture; whole numbers up to a million as they are. */
export function factText(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const short = Number(value.toPrecision(4));
  const size = Math.abs(short);
  return size !== 0 && (size >= 1e6 || size < 1e-3) ? short.toExponential().replace('e+', 'e') : String(short);
}

/** Any decimal number, also `1e3`, `1 000` and `0,5`. Null when it is none. */
export function parseNumber(text: string): number | null {
  let plain = text.replace(/[\s_\u00a0\u202f']/g, '').replace(/[\u2212\u2013]/g, '-');
  if (!plain.includes('.') && plain.split(',').length === 2) plain = plain.replace(',', '.');
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return null;
  const value = Number(plain);
  return Math.abs(value) <= 3.4e38 ? value : null;
}

/** A part of all, as percent: never 0 when there are some. */
export function percentText(part: number, all: number): string {
  if (part <= 0 || all <= 0) return '0 %';
  const percent = (100 * part) / all;
  if (percent < 0.01) return '< 0.01 %';
  return `${Number(percent.toPrecision(percent < 1 ? 2 : 3))} %`;
}
