/** Turns pasted or dropped text into the path that the server expects. */

/** Quotes that shells and word processors put around a path. */
const QUOTES: readonly (readonly [string, string])[] = [
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
];

/** Returns the path in one line of text. Text that is not a path is returned as it is; the server rejects it. */
export function toPath(text: string): string {
  const bare = unquote(text.trim());
  if (/^file:/i.test(bare)) return fromFileUrl(bare);
  // Terminals escape blanks and what means something to them in paths that are dragged onto them.
  return /^[/~]/.test(bare) ? bare.replace(/\\([\s!"#$%&'()*,:;<=>?@[\\\]^`{|}~])/g, '$1') : bare;
}

/** Returns the first paths of a `text/uri-list` or of lines of text. */
export function toPaths(text: string, maxCount = 8): string[] {
  const lines = text.split(/\r?\n|\0/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.slice(0, maxCount).map(toPath);
}

/** True for a path that is absolute on any system: `/…`, `~/…`, `C:\…`, `\\server\…`. */
export function looksLikePath(path: string): boolean {
  return /^(\/|~[\\/]|[A-Za-z]:[\\/]|\\\\)/.test(path);
}

/** The link alone: not a page that contains one. */
const FILE_LINK = /^\s*<a\b[^>]*>(file:\/\/\/[^<]*)<\/a>\s*$/;

/**
 * Returns the address of a file from the `text/html` of a drop: WebKitGTK gives pages no list of addresses, but the link that
 * it makes of it. Empty when there is no such link.
 */
export function fileLink(html: string): string {
  return (FILE_LINK.exec(html)?.[1] ?? '').replaceAll('&amp;', '&');
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
