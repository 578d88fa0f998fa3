/** Sessions live as long as they are looked at, and are opened again when they have ended. */
import { type Signal, signal } from '@preact/signals';
import { AcqClientError, hasCode } from '../../../client/index.ts';
import type { Notices } from './notices.ts';
import type { Server } from './server.ts';
import type { SessionState, Tab } from './tab.ts';
import type { Workspace } from './workspace.ts';

/** Renewed when less than this share of its lifetime is left. */
const RENEW_BELOW = 0.5;
const TICK = 1_000;

export interface Keeper {
  /** Milliseconds of `Date.now()`, each second while the page is seen. */
  readonly now: Signal<number>;
  renew(tab: Tab): Promise<void>;
  /** Opens the file of an ended session again; what is on screen stays. */
  reopen(tab: Tab): Promise<void>;
}

export function keepSessions(workspace: Workspace): Keeper {
  const { server, notices, active } = workspace;
  const now = signal(Date.now());
  const busy = new WeakSet<Tab>();
  /** Ended, and opening again failed: not tried again before somebody looks or asks. */
  const given = new WeakSet<Tab>();

  const guarded = async (tab: Tab, work: () => Promise<void>) => {
    if (busy.has(tab)) return;
    busy.add(tab);
    try {
      await work();
    } finally {
      busy.delete(tab);
    }
  };

  const keeper: Keeper = {
    now,
    renew: (tab) => guarded(tab, () => renew(tab, server)),
    reopen: (tab) =>
      guarded(tab, async () => {
        given.add(tab);
        if (await reopen(tab, server, notices, workspace)) given.delete(tab);
      }),
  };

  function look(): void {
    now.value = Date.now();
    const tab = active.value;
    if (!tab || document.visibilityState !== 'visible' || server.connection.value.state === 'down') return;
    const { state, endsAt } = tab.session.value;
    const left = endsAt - now.value;
    if (state === 'asking') void guarded(tab, () => ask(tab, server));
    else if (state === 'ended' || left <= 0) {
      if (!given.has(tab)) void keeper.reopen(tab);
    } else if (left < RENEW_BELOW * lifetime(server)) void keeper.renew(tab);
  }

  active.subscribe(look);
  setInterval(look, TICK);
  document.addEventListener('visibilitychange', () => {
    if (active.value) given.delete(active.value);
    look();
  });
  // The server may have been started again meanwhile, and know nothing of our sessions.
  server.onBack = () => {
    for (const tab of workspace.tabs.value) tab.session.value = { ...tab.session.value, state: 'asking' };
    look();
  };
  return keeper;
}

function lifetime(server: Server): number {
  return (server.info.value?.capabilities.sessionTtlSeconds ?? 600) * 1000;
}

async function ask(tab: Tab, server: Server): Promise<void> {
  await settle(tab, server, () => tab.document.opened.value.status());
}

async function renew(tab: Tab, server: Server): Promise<void> {
  await settle(tab, server, () => tab.document.opened.value.renew());
}

/** Takes over what the server says about the session. */
async function settle(
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

/** The client opens it again when it reads; the smallest thing to read is a row. */
async function reopen(tab: Tab, server: Server, notices: Notices, workspace: Workspace): Promise<boolean> {
  const { opened, info } = tab.document;
  const [first] = info.value.channels;
  try {
    if (first) await opened.value.rows(first.index, 0, 1);
    await ask(tab, server);
    return true;
  } catch (error) {
    if (hasCode(error, 'closed')) return false;
    tab.session.value = { ...tab.session.value, state: 'ended', endsAt: 0 };
    server.suspect(error);
    const { path, name } = info.value.source;
    const again = { label: 'Open it anew', run: () => void workspace.open({ path }) };
    const shown = `${name} stays on screen as it was read.`;
    if (error instanceof AcqClientError) {
      notices.tell({ kind: 'error', code: error.code, message: error.message, hint: shown, action: again });
    } else notices.report(error, name, again);
    return false;
  }
}
