/** Renews the session of the visible tab, and opens its file again when the session has ended. */

import { AcqClientError, hasCode } from '@acquisition-store/client';
import { type Signal, signal } from '@preact/signals';
import type { Notices } from './notices.ts';
import { looksLikePath } from './path-text.ts';
import type { Server } from './server.ts';
import type { SessionState, Tab } from './tab.ts';
import type { Workspace } from './workspace.ts';

/** A session is renewed when less than this fraction of its lifetime is left. */
const RENEW_BELOW = 0.5;
const CHECK_INTERVAL = 1_000;

export interface Keeper {
  /** `Date.now()` in milliseconds, updated every second while the page is visible. */
  readonly now: Signal<number>;
  renew(tab: Tab): Promise<void>;
  /** Opens the file of an ended session again. Images on screen stay. */
  reopen(tab: Tab): Promise<void>;
}

export function keepSessions(workspace: Workspace): Keeper {
  const { server, notices, active } = workspace;
  const now = signal(Date.now());
  const guarded = createGuard();
  /** Tabs that could not be opened again. They wait until the user returns to the page or asks. */
  const failed = new WeakSet<Tab>();

  const keeper: Keeper = {
    now,
    renew: (tab) => guarded(tab, () => renew(tab, server)),
    reopen: (tab) =>
      guarded(tab, async () => {
        failed.add(tab);
        if (await reopen(tab, server, notices, workspace)) failed.delete(tab);
      }),
  };

  function check(): void {
    now.value = Date.now();
    const tab = active.value;
    if (!tab || document.visibilityState !== 'visible' || server.connection.value.state === 'down') return;
    const { state, endsAt } = tab.session.value;
    const left = endsAt - now.value;
    if (state === 'asking') void guarded(tab, () => readStatus(tab, server));
    else if (state === 'ended' || left <= 0) {
      // A tab that is followed is opened again as it is now.
      if (!failed.has(tab) && tab.live.value === null) void keeper.reopen(tab);
    } else if (left < RENEW_BELOW * lifetime(server)) void keeper.renew(tab);
  }

  active.subscribe(check);
  setInterval(check, CHECK_INTERVAL);
  document.addEventListener('visibilitychange', () => {
    if (active.value) failed.delete(active.value);
    check();
  });
  // The server may have been restarted and have lost the sessions.
  server.onBack = () => {
    for (const tab of workspace.tabs.value) tab.session.value = { ...tab.session.value, state: 'asking' };
    check();
  };
  return keeper;
}

/** Returns a function that runs work for a tab unless other work for it is running. */
function createGuard(): (tab: Tab, work: () => Promise<void>) => Promise<void> {
  const busy = new WeakSet<Tab>();
  return async (tab, work) => {
    if (busy.has(tab)) return;
    busy.add(tab);
    try {
      await work();
    } finally {
      busy.delete(tab);
    }
  };
}

function lifetime(server: Server): number {
  return (server.info.value?.capabilities.sessionTtlSeconds ?? 600) * 1000;
}

async function readStatus(tab: Tab, server: Server): Promise<void> {
  await updateSession(tab, server, () => tab.document.opened.value.status());
}

async function renew(tab: Tab, server: Server): Promise<void> {
  await updateSession(tab, server, () => tab.document.opened.value.renew());
}

/** Updates the session of a tab from an answer of the server. */
async function updateSession(
  tab: Tab,
  server: Server,
  request: () => ReturnType<Tab['document']['opened']['value']['status']>,
) {
  try {
    const { ttlSecondsRemaining, totalBytes } = await request();
    const endsAt = Date.now() + ttlSecondsRemaining * 1000;
    tab.session.value = { state: 'live', endsAt, totalBytes } satisfies SessionState;
  } catch (error) {
    if (hasCode(error, 'session_not_found')) tab.session.value = { ...tab.session.value, state: 'ended', endsAt: 0 };
    else server.suspect(error);
  }
}

/** Reads one row: the client opens the file again when the session has ended. */
async function reopen(tab: Tab, server: Server, notices: Notices, workspace: Workspace): Promise<boolean> {
  const { opened, info } = tab.document;
  const [first] = info.value.channels;
  try {
    if (first) await opened.value.rows(first.index, 0, 1);
    await readStatus(tab, server);
    return true;
  } catch (error) {
    if (hasCode(error, 'closed')) return false;
    tab.session.value = { ...tab.session.value, state: 'ended', endsAt: 0 };
    server.suspect(error);
    const { path, name } = info.value.source;
    if (hasCode(error, 'source_changed')) {
      workspace.following.offer(tab);
      return false;
    }
    const again = looksLikePath(path)
      ? { label: 'Open it again', run: () => void workspace.open({ path }) }
      : { label: 'Open…', run: () => void workspace.ways.pick('file') };
    const hint = `The images of ${name} on screen are those read before.`;
    if (error instanceof AcqClientError) {
      notices.show({ kind: 'error', code: error.code, message: error.message, hint, action: again });
    } else notices.report(error, name, again);
    return false;
  }
}
