/** The metadata of Micro-Manager, which are JSON in its own TIFF files and in NDTiff. */
import { type JsonObject, objectOf } from '../../base/json.js';
import { grouped } from '../../base/wording.js';

/** Longest text in which `NaN` and `Infinity` are looked for. The metadata of a plane have a few kilobytes. */
const MAX_REPAIRED = 2 ** 20;
/** So many times as many numbers of frames as there are frames may be shown: the others were dropped. */
const MAX_DROPPED = 2;

/**
 * Parses a JSON object, up to a NUL that ends it; returns `{}` for anything else. `NaN` and `Infinity`, which Python
 * writes, are `null`.
 */
export function parseObject(text: string): JsonObject {
  const json = text.split('\0', 1)[0] ?? '';
  return tryParse(json) ?? (json.length <= MAX_REPAIRED ? tryParse(withoutNaN(json)) : undefined) ?? {};
}

function tryParse(json: string): JsonObject | undefined {
  try {
    return objectOf(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Replaces the words outside texts. A text that does not end is one match, so that none is searched twice. */
function withoutNaN(json: string): string {
  if (!/NaN|Infinity/.test(json)) return '';
  return json.replace(/"(?:[^"\\]+|\\[\s\S])*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/g, (match) =>
    match.startsWith('"') ? match : 'null',
  );
}

/** Returns a number, also one that is written as a text; `undefined` for anything else. */
export function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value.replace(',', '.')) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/**
 * Adds the numbers that are missing between others: frames and slices that were dropped keep their place, unless most are
 * missing.
 * @param numbers whole, in ascending order
 */
export function withDropped(numbers: number[]): number[] {
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  const count = last - first + 1;
  return count <= numbers.length * MAX_DROPPED ? Array.from({ length: count }, (_, i) => first + i) : numbers;
}

/** Returns a warning where numbers of frames or slices were skipped without leaving room for them. */
export function describeSkipped(axis: 'frames' | 'slices', numbers: readonly number[]): string[] {
  const missing = (numbers.at(-1) ?? 0) - (numbers[0] ?? 0) + 1 - numbers.length;
  if (numbers.length === 0 || missing === 0) return [];
  return [
    `The numbers of the ${axis} are not consecutive: ${grouped(missing)} of them are missing between ${grouped(numbers[0]!)} ` +
      `and ${grouped(numbers.at(-1)!)}. Showing the others without gaps.`,
  ];
}
