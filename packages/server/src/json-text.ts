/** Texts of JSON in pieces: for those who write them and, where that takes long, for the threads that do it for them. */

/** Entries of a long list that are checked. */
export const CHECKED_ENTRIES = 1_024;
/** Entries of a long list that are written at a time. */
const PIECE_ENTRIES = 128;
/** Characters after which the next turn of the event loop writes on. */
const TURN_CHARACTERS = 65_536;

/** A long list that a thread has written. */
export interface WrittenList<T> {
  /** The first `CHECKED_ENTRIES` of it. */
  first: readonly T[];
  /** The text of all of it, in pieces for one turn of the event loop each. */
  pieces: readonly string[];
}

/** True for a list with more entries than are checked. */
export function isLong(list: readonly unknown[]): boolean {
  return list.length > CHECKED_ENTRIES;
}

/** Writes a long list. */
export function writeList<T>(list: readonly T[]): WrittenList<T> {
  return { first: list.slice(0, CHECKED_ENTRIES), pieces: [...joined(listPieces(list))] };
}

/** Returns the text of a list in pieces. NaN and ±∞ are `null`. */
export function* listPieces(list: readonly unknown[] | Float64Array): Generator<string> {
  yield '[';
  for (let i = 0; i < list.length; i += PIECE_ENTRIES) {
    const text = JSON.stringify(Array.from(list.slice(i, i + PIECE_ENTRIES)));
    yield (i === 0 ? '' : ',') + text.slice(1, -1);
  }
  yield ']';
}

/** Joins pieces until they are long enough for a turn. */
export function* joined(pieces: Iterable<string>): Generator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < TURN_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
