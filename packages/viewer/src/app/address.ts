/** Reads and writes the address of the page: `?path=…`, `?session=…`, `#token=…`, `#view=…`. */
import { decodeView, encodeView, type ViewState } from './view-state.ts';

/** What a link asks the page to open. */
export interface LinkTarget {
  readonly path: string | null;
  readonly session: string | null;
  readonly token: string | null;
  readonly view: ViewState | null;
  /** True when the address has a view that cannot be decoded. */
  readonly brokenView: boolean;
}

export function readAddress({ search, hash }: { search: string; hash: string }): LinkTarget {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const text = fragment.get('view');
  const view = text === null ? null : decodeView(text);
  return {
    path: readPath(search),
    session: query.get('session') || null,
    token: fragment.get('token') || null,
    view,
    brokenView: text !== null && view === null,
  };
}

/** Decodes a path that may be typed by hand: `+` is part of a name, while in a form it would be a blank. */
function readPath(search: string): string | null {
  const [, text = ''] = /[?&]path=([^&]*)/.exec(search) ?? [];
  try {
    return decodeURIComponent(text) || null;
  } catch {
    return text;
  }
}

/** Returns the address without the token, which must not stay in the address bar or the history. */
export function withoutToken({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>): string {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  fragment.delete('token');
  const rest = fragment.toString();
  return pathname + search + (rest === '' ? '' : `#${rest}`);
}

/** Returns the query and fragment that restore an acquisition and its view; empty when nothing is open. */
export function toAddress(path: string | null, view: ViewState | null): string {
  if (path === null) return '';
  const query = encodeURIComponent(path).replaceAll('%2F', '/').replaceAll('%3A', ':');
  return `?path=${query}${view ? `#view=${encodeView(view)}` : ''}`;
}
