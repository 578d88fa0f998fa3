import { subjectFirst } from './wording.js';

/** What a warning means to somebody who checks many files. */
export const WARNING_KINDS = ['corrupted', 'incomplete', 'inconsistent'] as const;
/**
 * `corrupted`: the file, or one of its set, is corrupted, truncated or missing. `incomplete`: less was recorded than was
 * planned; what is there is whole. `inconsistent`: the file says two different things.
 */
export type WarningKind = (typeof WARNING_KINDS)[number];

/** More texts than one open can make. */
const MAX_KNOWN = 10_000;
/**
 * Warnings pass through many hands as texts, so their kinds are kept here until the open ends. A text always has one kind:
 * it is made in one place.
 */
const known = new Map<string, WarningKind>();

function note(text: string, kind: WarningKind): string {
  known.delete(text);
  known.set(text, kind);
  const [oldest] = known.size > MAX_KNOWN ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  return text;
}

/** Returns a warning that tells of corrupted or missing data. */
export const asCorrupted = (text: string): string => note(text, 'corrupted');
/** Returns a warning about something that was planned and not recorded. */
export const asIncomplete = (text: string): string => note(text, 'incomplete');
/** Returns a warning about two places that disagree. */
export const asInconsistent = (text: string): string => note(text, 'inconsistent');

/** Returns a warning of one file of several, of the same kind. */
export function aboutPart(name: string, text: string): string {
  const said = subjectFirst(name, text);
  const kind = known.get(text);
  return kind ? note(said, kind) : said;
}

/** Returns those of the warnings of an open that has just ended which have a kind, by their kinds. */
export function warningsByKind(warnings: readonly string[]): Partial<Record<WarningKind, readonly string[]>> {
  const kinds = WARNING_KINDS.map((kind) => [kind, warnings.filter((text) => known.get(text) === kind)] as const);
  return Object.fromEntries(kinds.filter(([, texts]) => texts.length > 0));
}
