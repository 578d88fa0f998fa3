/** The token of the server, kept for as long as this browser tab is open. The current viewer uses the same key. */

const KEY = 'acqstore-token';

/** Used when the browser refuses storage; lost when the page is reloaded. */
let fallback: string | null = null;

export function readToken(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return fallback;
  }
}

/** Takes the token out of the address (`/demo/#token=TOKEN`), so that it does not stay there or in the history. */
export function takeToken(): void {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null) return;
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(history.state, '', location.pathname + location.search + (rest === '' ? '' : `#${rest}`));
  if (token === '') return;
  fallback = token;
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // The fallback keeps it.
  }
}
