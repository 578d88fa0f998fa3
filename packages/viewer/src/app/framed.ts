/**
 * The page in a frame of a notebook, or of another page that may use the server: the policy of the page lets nobody else
 * frame it. That page sends a `MessagePort`, with the session to show; through it both share what is on screen. Before, it may ask for
 * a proof of which server this page is of.
 */
import { effect, untracked } from '@preact/signals';
import { toCalibration } from './calibrations.ts';
import type { Page } from './context.ts';
import { openSession } from './links.ts';
import { applyState, readState } from './shared-state.ts';
import type { Tab } from './tab.ts';
import { isRecord, toSelection } from './view-state.ts';

/** True for a page inside another one, whose history is not this page's to write. */
export function isFramed(): boolean {
  return window.parent !== window;
}

/** Milliseconds without a change before the other page is told, so that it is not told of each step of a drag. */
const DELAY = 80;

interface Connect {
  /** Id of the session whose file is shown. */
  readonly session: string;
  readonly token?: unknown;
  /** What to begin with, as `SharedState`. */
  readonly state?: unknown;
  /** Steps of the session in place of those of the file, as in an open request. */
  readonly calibration?: unknown;
}

/** Says to the page around this one that it may connect, and shows what that page then asks for. */
export function listenToFrame(page: Page): void {
  if (!isFramed()) return;
  addEventListener('message', ({ source, data, ports: [port] }: MessageEvent) => {
    if (source !== window.parent || port === undefined) return;
    if (isConnect(data)) void connect(page, port, data);
    else if (isProve(data)) void prove(page, port, data.challenge);
  });
  // Tells nothing secret.
  window.parent.postMessage({ acquisitionStore: 'ready' }, '*');
}

function isConnect(data: unknown): data is Connect {
  return isRecord(data) && data['acquisitionStore'] === 'connect' && typeof data['session'] === 'string';
}

function isProve(data: unknown): data is { challenge: string } {
  return isRecord(data) && data['acquisitionStore'] === 'prove' && typeof data['challenge'] === 'string';
}

/** Has the server of this page answer the challenge, as programs do that found its instance file. */
async function prove({ workspace }: Page, port: MessagePort, challenge: string): Promise<void> {
  // The server may be below a path, as behind the proxy of Jupyter.
  const address = `${workspace.server.client.baseUrl}/api/v2/health`;
  const answer = await fetch(address, { headers: { 'X-Acqstore-Challenge': challenge } }).catch(() => null);
  port.postMessage({ proof: answer?.headers.get('X-Acqstore-Proof') ?? null });
}

async function connect(page: Page, port: MessagePort, { session, token, state, calibration }: Connect): Promise<void> {
  const { workspace } = page;
  document.documentElement.dataset['framed'] = 'true';
  if (typeof token === 'string' && token !== '') await workspace.enterToken(token);
  const selection = toSelection(isRecord(state) ? state['selection'] : undefined);
  const shown = { selection, calibration: toCalibration(calibration) };
  const show = async () => {
    const tab = await openSession(session, workspace, shown, () => void show());
    port.postMessage({ shown: tab !== null });
    if (tab === null) return;
    await applyState(tab, workspace, state);
    share(page, tab, port);
  };
  await show();
}

/** Tells the other page what is on screen whenever it changes, until the tab is closed; and shows what that page sets. */
function share({ workspace }: Page, tab: Tab, port: MessagePort): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tell = () => port.postMessage({ state: untracked(() => readState(tab.document)) });
  const tellSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(tell, DELAY);
  };
  const stop = effect(() => {
    readState(tab.document);
    tellSoon();
  });
  port.onmessage = async ({ data }: MessageEvent) => {
    await applyState(tab, workspace, isRecord(data) ? data['state'] : undefined);
    // Also when nothing has changed: what was refused must not stay on the other side.
    tellSoon();
  };
  tab.ending.signal.addEventListener('abort', () => {
    stop();
    clearTimeout(timer);
    port.close();
  });
}
