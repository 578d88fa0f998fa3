/** The token of the server, kept for as long as this browser tab is open. */

const KEY = 'acqstore-token';

/** Used when the browser refuses storage; lost when the page is reloaded. */
let fallback: string | undefined;

export function readToken(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return fallback;
  }
}

export function removeToken(): void {
  fallback = undefined;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // The fallback was all there was.
  }
}

export function writeToken(token: string): void {
  fallback = token;
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // The fallback keeps it.
  }
}
