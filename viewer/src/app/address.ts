/** What the address of the page says: `?path=…`, `?session=…`, `#token=…`, `#view=…`. */
import { decodeView, encodeView, type ViewState } from './view-state.ts';

export interface Wish {
  readonly path: string | null;
  readonly session: string | null;
  readonly token: string | null;
  readonly view: ViewState | null;
  /** There is a view, but it cannot be read. */
  readonly brokenView: boolean;
}

export function readAddress({ search, hash }: { search: string; hash: string }): Wish {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const text = fragment.get('view');
  const view = text === null ? null : decodeView(text);
  return {
    path: query.get('path') || null,
    session: query.get('session') || null,
    token: fragment.get('token') || null,
    view,
    brokenView: text !== null && view === null,
  };
}

/** The address without the token, which must stay neither there nor in the history. */
export function withoutToken({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>): string {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  fragment.delete('token');
  const rest = fragment.toString();
  return pathname + search + (rest === '' ? '' : `#${rest}`);
}

/** Query and fragment that bring back an acquisition as it is looked at; empty when there is none. */
export function toAddress(path: string | null, view: ViewState | null): string {
  if (path === null) return '';
  const query = encodeURIComponent(path).replaceAll('%2F', '/').replaceAll('%3A', ':');
  return `?path=${query}${view ? `#view=${encodeView(view)}` : ''}`;
}
