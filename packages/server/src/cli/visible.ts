/**
 * Control characters, line and paragraph separators, and characters that reorder text (bidirectional controls, Unicode
 * Annex 9). Terminals interpret them, so a file name could hide or forge output.
 */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
/** Finds what `visibleLines` escapes: line ends and tabs are not among it. */
export const UNSAFE_LINES = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const ALL_UNSAFE_LINES = new RegExp(UNSAFE_LINES, 'gu');

/** Returns one line of text for a terminal, with each unsafe character as an escape, for example `\u001b`. */
export function visible(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** Returns text for a terminal like `visible`, but keeps line ends and tabs. */
export function visibleLines(text: string): string {
  return text.replace(ALL_UNSAFE_LINES, escaped);
}

/** Returns the same JSON with the unsafe characters in its strings escaped, which `JSON.stringify` does not do. */
export function visibleJson(json: string): string {
  return visibleLines(json);
}

/** Copies a JSON value with `visible` strings. Stack traces keep their lines. */
export function visibleValue(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return key === 'stack' ? visibleLines(value) : visible(value);
  if (Array.isArray(value)) return value.map((item) => visibleValue(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [visible(name), visibleValue(item, name)]));
}

function escaped(character: string): string {
  const short = SHORT[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
