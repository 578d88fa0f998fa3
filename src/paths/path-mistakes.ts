/** What is wrong with the text of a path that was pasted from somewhere. */
import { isAbsolute } from 'node:path';

const QUOTES: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
];
/** A backslash of a shell before a character that means something to it. */
const SHELL_ESCAPE = /\\([\s!"#$%&'()*,:;<=>?@[\\\]^`{|}~])/g;

/**
 * Describes a mistake, after the name of the path: `has quotes around it. Send …`. Only for a path that does not work as it
 * is: a name may contain all of this.
 */
export function describePathMistake(path: string, platform: NodeJS.Platform): string | undefined {
  const trimmed = path.trim();
  for (const [open, close] of QUOTES) {
    if (trimmed.length > 1 && trimmed.startsWith(open) && trimmed.endsWith(close)) {
      return `has quotes around it. Send it without them: ${trimmed.slice(1, -1)}`;
    }
  }
  if (/^file:/i.test(trimmed)) return describeFileAddress(trimmed);
  if (trimmed !== path) return `begins or ends with white space or a line break. Send it without: ${trimmed}`;
  if (platform === 'win32') return undefined;
  if (/^[a-z]:[\\/]|^\\\\/i.test(path)) {
    return 'is a path of Windows, but the server runs on another system. Send the path that the file has there';
  }
  const unescaped = path.replace(SHELL_ESCAPE, '$1');
  if (unescaped === path) return undefined;
  return `has backslashes of a shell in it. Send it without: ${unescaped}`;
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
