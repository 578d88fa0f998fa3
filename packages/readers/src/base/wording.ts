/** Parts of messages: numbers and counts as people read them. */

/** A whole number with thousands separators: `65,536`. */
export function grouped(value: number | bigint): string {
  return String(value).replace(/^-?\d{4,}$/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));
}

/** A count with its noun: `1 channel`, `2 channels`, `4,096 bytes`. `many`: a plural that is not formed with `s`. */
export function plural(count: number | bigint, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${Number(count) === 1 ? one : many}`;
}

/** A count with its noun and a verb: `1 plane is`, `2 planes are`. */
export function countAre(count: number | bigint, one: string, many?: string): string {
  return `${plural(count, one, many)} ${Number(count) === 1 ? 'is' : 'are'}`;
}

/** `"a"`, `"a" or "b"`, `"a", "b" or "c"`. */
export function oneOf(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Returns the text of an error with a period at the end, for another sentence to follow. */
export function endSentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}

/** Shortens a text from a file for a message. */
export function shorten(text: string, max = 40): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}

/** How a text begins that says something of its subject. */
const PREDICATE = /^(is|was|has|have|cannot|does|contains|needs|already) /;

/** Puts what a text is about in front of it. The one place where messages and warnings get it. */
export function subjectFirst(subject: string | undefined, text: string): string {
  if (subject === undefined) return text;
  return PREDICATE.test(text) ? `${subject} ${text}` : `${subject}: ${text}`;
}

/** Returns a text for the middle of a sentence: `The metadata` becomes `the metadata`. */
export function uncapitalized(text: string): string {
  return text.replace(/^(The|A|An|What) /, (word) => word.toLowerCase());
}

/** `2026-01-15 10:30:00`, of a date as `YYYYMMDD` and a time; each may be empty. */
export function clockText({ date, time }: { date: string; time: string }): string {
  return `${date.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')} ${time}`.trim();
}
