/** What is wrong with the text of a path that was pasted from somewhere. */
import { isAbsolute } from 'node:path';

const QUOTES: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
];
/** White space, and characters that cannot be seen: Windows copies U+202A with the path of a file from its properties. */
const AROUND = /[\s\p{Cf}]/u;
/** A backslash of a shell before a character that means something to it. */
const SHELL_ESCAPE = /\\([\s!"#$%&'()*,:;<=>?@[\\\]^`{|}~])/g;

/**
 * Describes a mistake, after the name of the path: `has quotes around it. Send …`. Only for a path that does not work as it
 * is: a name may contain all of this.
 */
export function describePathMistake(path: string, platform: NodeJS.Platform): string | undefined {
  const trimmed = withoutAround(path);
  for (const [open, close] of QUOTES) {
    if (trimmed.length > 1 && trimmed.startsWith(open) && trimmed.endsWith(close)) {
      return `has quotes around it. Send it without them: ${trimmed.slice(1, -1)}`;
    }
  }
  if (/^file:/i.test(trimmed)) return describeFileAddress(trimmed);
  if (trimmed !== path) {
    const what = trimmed === path.trim() ? 'white space or a line break' : 'a character that cannot be seen';
    return `begins or ends with ${what}. Send it without: ${trimmed}`;
  }
  if (platform === 'win32') return undefined;
  if (/^[a-z]:[\\/]|^\\\\/i.test(path)) {
    return 'is a path of Windows, but the server runs on another system. Send the path that the file has there';
  }
  const unescaped = path.replace(SHELL_ESCAPE, '$1');
  if (unescaped === path) return undefined;
  return `has backslashes of a shell in it. Send it without: ${unescaped}`;
}

/** Not by one pattern, which would take the square of the length of a long run of white space. */
function withoutAround(path: string): string {
  let [from, end] = [0, path.length];
  while (from < end && AROUND.test(path[from]!)) from++;
  while (from < end && AROUND.test(path[end - 1]!)) end--;
  return path.slice(from, end);
}

function describeFileAddress(address: string): string {
  const what = 'is an address that starts with file:, not a path.';
  try {
    const { hostname, pathname } = new URL(address);
    const decoded = decodeURIComponent(pathname).replace(/^\/(?=[a-z]:)/i, '');
    if (hostname === '' && isAbsolute(decoded)) return `${what} Send ${decoded}`;
  } catch {
    // The address is not valid either.
  }
  return `${what} Send the path of the file on the server's computer`;
}
