/** Brings the open tabs back after a login, whose redirects lose the state of the history entry. */

const KEY = 'acqstore-login-return';

interface LeftPage {
  readonly address: string;
  readonly hash: string;
  readonly state: unknown;
}

/** Loads the page again, which makes the proxy in front of the server show its login. */
export function logIn(): void {
  const entry: LeftPage = { address: location.pathname + location.search, hash: location.hash, state: history.state };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(entry));
  } catch {
    // The file in the address is offered after the login; other tabs are lost.
  }
  location.reload();
}

/** To be called before anything reads the address or the history. */
export function returnFromLogin(): void {
  try {
    const entry = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as LeftPage | null;
    sessionStorage.removeItem(KEY);
    // The person may have gone elsewhere instead.
    if (entry === null || entry.address !== location.pathname + location.search) return;
    history.replaceState(entry.state, '', entry.address + entry.hash);
  } catch {
    // The page starts as at a new address.
  }
}
