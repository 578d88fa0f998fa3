/** Lists in answers that are too long to be checked and written as a whole; see `json-text.ts`. */

/** Entries of a long list that are checked. */
export const CHECKED_ENTRIES = 1_024;

/** A long list that a thread has written. */
export class WrittenList<T> {
  /** The first `CHECKED_ENTRIES` of it. */
  readonly first: readonly T[];
  /** The text of all of it, in pieces for one turn of the event loop each. */
  readonly pieces: readonly string[];

  constructor(first: readonly T[], pieces: readonly string[]) {
    this.first = first;
    this.pieces = pieces;
  }
}

/** True for a list with more entries than are checked. */
export function isLong(list: readonly unknown[]): boolean {
  return list.length > CHECKED_ENTRIES;
}

/**
 * Lets an answer have a list of numbers as it was computed. NaN and ±∞ become `null`, as in any JSON: the schema of the
 * list must have `null` where they can occur.
 */
export function asJsonList(numbers: Float64Array): number[] {
  return numbers as unknown as number[];
}

/** Lets an answer have a list that a thread has written. A message between threads loses the class. */
export function asWritten<T>({ first, pieces }: WrittenList<T>): T[] {
  return new WrittenList(first, pieces) as unknown as T[];
}

/** True when `value` has a list that is too long to be checked and written as a whole. */
export function hasLongList(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof WrittenList || isLongList(value) || Object.values(value).some(hasLongList);
}

/** Returns `value` as JSON has it, with the first entries of each long list only. */
export function withFirstEntries(value: unknown): unknown {
  if (!hasLongList(value)) return value;
  if (value instanceof WrittenList) return value.first;
  if (isLongList(value)) return Array.from(value.slice(0, CHECKED_ENTRIES), toJsonValue);
  if (Array.isArray(value)) return value.map(withFirstEntries);
  return Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, withFirstEntries(item)]));
}

/** True for a list that is not checked and written as a whole. Its entries have no long lists themselves. */
export function isLongList(value: unknown): value is readonly unknown[] | Float64Array {
  return value instanceof Float64Array || (Array.isArray(value) && isLong(value));
}

function toJsonValue(entry: unknown): unknown {
  return typeof entry === 'number' && !Number.isFinite(entry) ? null : entry;
}
