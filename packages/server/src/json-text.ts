/**
 * Writes JSON with long lists: texts in pieces, so that other requests are answered in between. Threads write what takes long for
 * those who answer.
 */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { CHECKED_ENTRIES, hasLongList, isLongList, WrittenList } from './long-lists.js';

/** Entries of a long list that are written at a time. */
const PIECE_ENTRIES = 128;
/** Characters after which the next turn of the event loop writes on. */
const TURN_CHARACTERS = 65_536;
/** What an object takes beside its entries, and each of them beside its own object or text. */
const BYTES_PER_OBJECT = 32;
const BYTES_PER_ENTRY = 16;
const BYTES_PER_CHARACTER = 2;

/** Writes a long list. */
export function writeList<T>(list: readonly T[]): WrittenList<T> {
  return new WrittenList(list.slice(0, CHECKED_ENTRIES), [...joined(listPieces(list))]);
}

/** Returns the text of a list in pieces. NaN and ±∞ are `null`. */
function* listPieces(list: readonly unknown[] | Float64Array): Generator<string> {
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

/** A long text, written a piece in each turn of the event loop. */
export class JsonPieces extends Readable {
  /** Bytes that have been written. */
  writtenBytes = 0;
  /** Bytes of what is written, which stays in memory until the end. Numbers are counted where they are computed. */
  readonly heldBytes: number;
  readonly #pieces: AsyncGenerator<string>;

  constructor(value: unknown, pieces: AsyncGenerator<string>) {
    super();
    this.heldBytes = bytesOf(value);
    this.#pieces = pieces;
  }

  override _read(): void {
    this.#pieces.next().then(
      ({ done, value }) => this.#write(done ? null : Buffer.from(value)),
      (error: Error) => this.destroy(error),
    );
  }

  #write(bytes: Buffer | null): void {
    this.writtenBytes += bytes?.length ?? 0;
    this.push(bytes);
  }
}

/** Returns the text of a value with long lists, or a stream that writes it when it takes more than one turn. */
export function toJsonBody(value: unknown): string | JsonPieces {
  const parts = joined(jsonPieces(value));
  const first = parts.next();
  const second = parts.next();
  if (first.done) return '';
  if (second.done) return first.value;
  return new JsonPieces(value, oneEachTurn([first.value, second.value], parts));
}

/** Returns about how many bytes a value takes, without its numbers. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return BYTES_PER_CHARACTER * value.length;
  if (typeof value !== 'object' || value === null || value instanceof Float64Array) return 0;
  let bytes = BYTES_PER_OBJECT;
  for (const item of Object.values(value)) if (typeof item !== 'number') bytes += BYTES_PER_ENTRY + bytesOf(item);
  return bytes;
}

function* jsonPieces(value: unknown): Generator<string> {
  if (!hasLongList(value)) {
    yield JSON.stringify(value);
    return;
  }
  if (value instanceof WrittenList || isLongList(value)) {
    yield* value instanceof WrittenList ? value.pieces : listPieces(value);
    return;
  }
  const isList = Array.isArray(value);
  yield isList ? '[' : '{';
  let separator = '';
  for (const [name, item] of Object.entries(value as object)) {
    if (item === undefined) continue;
    yield isList ? separator : `${separator}${JSON.stringify(name)}:`;
    yield* jsonPieces(item);
    separator = ',';
  }
  yield isList ? ']' : '}';
}

/** Yields what is ready, and then one more in each turn of the event loop. Writing to a fast socket alone takes no turn. */
export async function* oneEachTurn<T>(ready: readonly T[], more: Iterable<T>): AsyncGenerator<T> {
  yield* ready;
  for (const next of more) {
    await setImmediate();
    yield next;
  }
}
