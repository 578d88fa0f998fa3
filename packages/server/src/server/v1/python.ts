/**
 * What v1 accepted in requests follows from Python, in which it was written: `json.loads`, `int()`, `str()`. These
 * functions accept the same.
 */

/** Thrown where Python's `int()` raised OverflowError, which v1 did not catch. */
export class IntOverflow extends Error {}

const STRING_OR_CONSTANT = /"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g;

/**
 * Parses UTF-8 JSON, also with `Infinity`, `-Infinity` and `NaN` (which becomes an empty object: like NaN, it is neither
 * a number, a text nor a list). Returns `undefined` for anything else.
 */
export function parsePythonJson(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const replaced = text.replace(STRING_OR_CONSTANT, (match) => {
      if (match.startsWith('"')) return match;
      return match === 'NaN' ? '{}' : match.replace('Infinity', '1e999');
    });
    return JSON.parse(replaced);
  } catch {
    return undefined;
  }
}

/**
 * Converts like `int()`: truncates numbers, `true` is 1, and texts may have spaces, a sign and `_` between digits.
 * Returns `undefined` where Python raises ValueError or TypeError.
 * @throws IntOverflow for an infinite number
 */
export function toPythonInt(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new IntOverflow('cannot convert float infinity to integer');
    // Not -0, which JSON has but integers do not.
    return Math.trunc(value) + 0;
  }
  if (typeof value !== 'string' || !/^\s*[+-]?\d+(_\d+)*\s*$/.test(value)) return undefined;
  return Number(value.replaceAll('_', '')) + 0;
}

/** Formats a positive number like `{:g}`: six digits, without zeros at the end. */
export function toPythonG(value: number): string {
  const [digits = '', exponent = '0'] = value.toExponential(5).split('e');
  if (Number(exponent) >= -4 && Number(exponent) < 6) return String(Number(value.toPrecision(6)));
  return `${Number(digits)}e${exponent.replace(/([+-])(\d)$/, '$10$2')}`;
}

/** Converts a value of JSON like `str()`, except lists and objects. */
export function toPythonText(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
