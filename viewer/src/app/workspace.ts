/** All that is open, and how it comes and goes. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { hasCode } from '../../../client/index.ts';
import type { OpenRequest } from '../../../src/contract/open.js';
import type { OpenChoice, OpenedAcquisition } from '../model/client.ts';
import type { ChannelView } from '../model/document.ts';
import { countLoaded } from './counting.ts';
import { createNotices, isAbort, type NoticeAction, type Notices } from './notices.ts';
import { giveUp, loadPlanes, type Settled } from './planes.ts';
import { type Recent, toRecents, withRecent } from './recents.ts';
import type { Server } from './server.ts';
import { storedSignal } from './stored.ts';
import { recallSwitches } from './switches.ts';
import { adopt, applyWindows, createTab, type Tab } from './tab.ts';
import { createTasks, type Task, type Tasks } from './tasks.ts';
import { applyView, type ViewState } from './view-state.ts';

export interface Workspace {
  readonly server: Server;
  readonly notices: Notices;
  readonly tasks: Tasks;
  readonly tabs: ReadonlySignal<readonly Tab[]>;
  readonly active: ReadonlySignal<Tab | null>;
  readonly recents: Signal<readonly Recent[]>;
  /** Whether it was opened; what was wrong is told by then. */
  open(request: OpenRequest, view?: ViewState | null): Promise<boolean>;
  /** Through the file dialog of the computer of the server. */
  pick(kind: 'file' | 'folder'): Promise<boolean>;
  /** Another scene, time, section, or other channels. A newer wish stops an older one. */
  select(tab: Tab, choice: OpenChoice): Promise<boolean>;
  /** What was not loaded, or not with success. */
  loadRest(tab: Tab): Promise<boolean>;
  activate(tab: Tab): void;
  /** The token that the server asked for; what it kept from opening is opened then. */
  enter(token: string): Promise<void>;
  close(tab: Tab): void;
}

export function createWorkspace(server: Server): Workspace {
  const notices = createNotices();
  const tasks = createTasks();
  const tabs = signal<readonly Tab[]>([]);
  const activeId = signal('');
  const active = computed(() => tabs.value.find(({ document }) => document.id === activeId.value) ?? null);
  const recents = storedSignal('recents', toRecents);
  const newest = new WeakMap<Tab, Task>();
  /** Refused for want of a token. */
  let waiting: (() => void) | null = null;

  const workspace: Workspace = {
    server,
    notices,
    tasks,
    tabs,
    active,
    recents,
    open: (request, view) =>
      run(`Opening ${lastPart(request.path)}`, retry(request, view), async (task) => {
        const acquisition = await server.client.open(request, { signal: task.signal });
        await show(acquisition, task, view ?? null);
      }),
    pick: (kind) =>
      run('A file dialog is open on the computer of the server', undefined, async (task) => {
        const acquisition = await server.client.pick({ kind }, { signal: task.signal });
        if (acquisition === null) return;
        task.label.value = `Opening ${acquisition.info.source.name}`;
        await show(acquisition, task, null);
      }),
    select: (tab, choice) =>
      run(`Opening ${tab.document.info.value.source.name}`, undefined, async (task) => {
        supersede(tab, task);
        const acquisition = await tab.document.opened.value
          .select(choice, { signal: task.signal })
          .catch((error: unknown) => stop(tab, task, error));
        await fill(tab, task, adopt(tab, acquisition));
      }),
    loadRest: (tab) =>
      run(`Loading ${tab.document.info.value.source.name}`, undefined, (task) => fill(tab, task, new Set())),
    activate(tab) {
      activeId.value = tab.document.id;
    },
    async enter(token) {
      server.useToken(token);
      notices.list.value = [];
      await server.start().catch((error: unknown) => notices.report(error));
      if (server.tokenWanted.value) {
        notices.tell({ kind: 'error', code: 'unauthorized', message: 'The server does not accept this token.' });
        return;
      }
      waiting?.();
      waiting = null;
    },
    close(tab) {
      const at = tabs.value.indexOf(tab);
      if (at < 0) return;
      tab.ending.abort();
      tabs.value = tabs.value.filter((one) => one !== tab);
      if (activeId.value === tab.document.id) {
        activeId.value = (tabs.value[at] ?? tabs.value[at - 1])?.document.id ?? '';
      }
      void tab.document.opened.value.close({ keepalive: true });
    },
  };

  async function run(
    label: string,
    action: NoticeAction | undefined,
    work: (task: Task) => Promise<void>,
  ): Promise<boolean> {
    try {
      await tasks.run(label, work);
      return true;
    } catch (error) {
      if (isAbort(error)) return false;
      server.suspect(error);
      if (hasCode(error, 'unauthorized')) waiting = action?.run ?? null;
      else notices.report(error, '', action);
      return false;
    }
  }

  function retry(request: OpenRequest, view: ViewState | null | undefined): NoticeAction {
    return { label: 'Try again', run: () => void workspace.open(request, view) };
  }

  async function show(acquisition: OpenedAcquisition, task: Task, view: ViewState | null): Promise<void> {
    if (task.signal.aborted) {
      await acquisition.close();
      task.signal.throwIfAborted();
    }
    remember(acquisition);
    const same = view === null ? tabs.value.find((tab) => holds(tab, acquisition)) : undefined;
    const tab = same ?? createTab(acquisition);
    let settled: Settled;
    if (same) {
      const before = same.document.opened.value;
      settled = adopt(same, acquisition);
      for (const channel of channelsOf(same)) channel.load.value = { state: 'waiting' };
      void before.close();
    } else {
      const told = applyWindows(tab);
      if (view) applyView(tab.document, view);
      else recallSwitches(tab.document);
      settled = new Set([...told, ...settledBy(tab, view)]);
      tabs.value = [...tabs.value, tab];
    }
    workspace.activate(tab);
    await fill(tab, task, settled);
  }

  /** A tab loads one selection at a time. */
  function supersede(tab: Tab, task: Task): void {
    const before = newest.get(tab);
    newest.set(tab, task);
    if (before !== task) before?.cancel();
  }

  /** Stopping keeps what has come; when nothing has, the tab goes. */
  function stop(tab: Tab, task: Task, error: unknown): never {
    if (newest.get(tab) === task) {
      giveUp(tab.document);
      const empty = channelsOf(tab).every(({ data }) => data.value === null);
      if (empty && isAbort(error)) workspace.close(tab);
    }
    throw error;
  }

  async function fill(tab: Tab, task: Task, settled: Settled): Promise<void> {
    supersede(tab, task);
    tab.ending.signal.addEventListener('abort', task.cancel, { once: true });
    try {
      await loadPlanes(tab.document, task, settled);
    } catch (error) {
      stop(tab, task, error);
    } finally {
      tab.ending.signal.removeEventListener('abort', task.cancel);
    }
    void countLoaded(tab, settled);
  }

  function remember({ info }: OpenedAcquisition): void {
    const { source, selection, channels, header } = info;
    const indices = channels.map(({ index }) => index);
    recents.value = withRecent(recents.value, {
      path: source.path,
      name: source.name,
      format: source.format,
      ...(selection ? { selection } : {}),
      ...(indices.length === header.numChannels ? {} : { channels: indices }),
    });
  }
  return workspace;
}

function holds(tab: Tab, { info }: OpenedAcquisition): boolean {
  const { source, selection } = tab.document.info.value;
  return source.path === info.source.path && JSON.stringify(selection) === JSON.stringify(info.selection);
}

export function channelsOf({ document }: Tab): readonly ChannelView[] {
  return [...document.source.value.channels, ...(document.reference.value?.channels ?? [])];
}

/** Channels that a link gives a contrast. */
function settledBy({ document }: Tab, view: ViewState | null): ChannelView[] {
  const chosen = [
    [document.source.value, view?.source],
    [document.reference.value, view?.reference],
  ] as const;
  return chosen.flatMap(
    ([pane, state]) => pane?.channels.filter(({ index }) => state?.displays[index] !== undefined) ?? [],
  );
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
