/** What people paste or drop as the place of a file, as the path that the server wants. */

/** Quotes of shells, and of the word processors that a path went through. */
const QUOTES: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
];

/** An absolute path out of one line of text; what is none already is left for the server to judge. */
export function toPath(text: string): string {
  const bare = unquote(text.trim());
  if (/^file:/i.test(bare)) return fromFileUrl(bare);
  // Terminals escape blanks in what is dragged out of them.
  return /^[/~]/.test(bare) ? bare.replace(/\\([ ()[\]{}&'"!$;])/g, '$1') : bare;
}

/** Paths of `text/uri-list` or of lines of text, the first few. */
export function toPaths(text: string, most = 8): string[] {
  const lines = text.split(/\r?\n|\0/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.slice(0, most).map(toPath);
}

/** Absolute on some system: `/…`, `~/…`, `C:\…`, `\\server\…`. */
export function looksLikePath(path: string): boolean {
  return /^(\/|~[\\/]|[A-Za-z]:[\\/]|\\\\)/.test(path);
}

function unquote(text: string): string {
  for (const [open, close] of QUOTES) {
    if (text.length > 1 && text.startsWith(open) && text.endsWith(close)) return text.slice(1, -1).trim();
  }
  return text;
}

function fromFileUrl(text: string): string {
  try {
    const { hostname, pathname } = new URL(text);
    const path = decodeURIComponent(pathname);
    if (hostname !== '') return `\\\\${hostname}${path.replaceAll('/', '\\')}`;
    return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  } catch {
    return text;
  }
}
