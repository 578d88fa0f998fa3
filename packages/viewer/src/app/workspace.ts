/** Everything that is open, and how it is opened, changed and closed. */

import type { Interpretation } from '@acquisition-store/client/contract/interpretation.js';
import type { OpenRequest } from '@acquisition-store/client/contract/open.js';
import type { Parts } from '@acquisition-store/readers/model/recording.js';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { toRequest } from '../export/request.ts';
import { createWaysIn, type WaysIn } from '../files/ways-in.ts';
import { isRoiName } from '../measure/pick-rois.ts';
import type { OpenedAcquisition, SelectChoice } from '../model/client.ts';
import { type KymographLine, openKymograph } from '../stack/kymograph.ts';
import { type Projection, type StackDim, selectionAt } from '../stack/place.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { explainRois } from './dropped-rois.ts';
import { createFollowing, type Following } from './following.ts';
import { letHiddenTabsGo } from './hidden-tabs.ts';
import { allChannels, createLoader } from './loading.ts';
import { createNotices, type Notices } from './notices.ts';
import { OPEN_CHOICE } from './open-request.ts';
import { createOpener, rememberFile } from './opening.ts';
import type { StoredTab } from './page-entry.ts';
import { looksLikePath } from './path-text.ts';
import { type Recent, toRecents } from './recents.ts';
import { createRestorer } from './restoring.ts';
import type { Server } from './server.ts';
import { createStacks, type Stacks } from './stacks.ts';
import { storedSignal } from './stored.ts';
import { adopt, type Tab } from './tab.ts';
import { createTabs, type Tabs } from './tabs.ts';
import { createTasks, type Task, type Tasks } from './tasks.ts';
import type { ViewState } from './view-state.ts';

export interface Workspace {
  readonly server: Server;
  readonly notices: Notices;
  readonly tasks: Tasks;
  readonly tabs: ReadonlySignal<readonly Tab[]>;
  readonly active: ReadonlySignal<Tab | null>;
  readonly recents: Signal<readonly Recent[]>;
  /** Opens a file by its path. Returns false when that failed; the reason has been shown by then. */
  open(request: OpenRequest, view?: ViewState | null): Promise<boolean>;
  /** Further ways to open a file. */
  readonly ways: WaysIn;
  /** Shows another scene, time, section or other channels. Cancels the previous choice if it is still loading. */
  select(tab: Tab, choice: SelectChoice): Promise<boolean>;
  /** Opens a kymograph of a line on the stack of a tab, in a tab of its own. */
  openKymograph(tab: Tab, line: KymographLine): Promise<boolean>;
  /** Opens the file again with its planes on other axes; null for those of the file. */
  interpret(tab: Tab, interpret: Interpretation | null): Promise<boolean>;
  /** Opens the recording that a file is a part of in its tab, or the file alone. */
  chooseParts(tab: Tab, parts: Parts): Promise<boolean>;
  /** Shows a projection along one dimension, or single planes again. */
  project(tab: Tab, projection: Projection | null): Promise<boolean>;
  /** Loads the planes that are missing because loading failed or was canceled. */
  loadRest(tab: Tab): Promise<boolean>;
  /** Recordings that are followed, and files that have changed. */
  readonly following: Following;
  /** Returns the time points and sections of a tab. */
  stackOf: Stacks['stackOf'];
  activate(tab: Tab): void;
  /** Moves a tab to a position among the others. */
  move: Tabs['move'];
  /** Shows the start page; the tabs stay open. */
  leave(): void;
  /** Stored tabs that are about to be opened again. */
  readonly waiting: ReadonlySignal<readonly StoredTab[]>;
  /**
   * Opens stored tabs again after `first`, which is number `position` of them. They load their planes when they are
   * shown. Returns null for a tab that could not be opened; which ones is shown by then.
   */
  restore(stored: readonly StoredTab[], position: number, first: Promise<Tab | null>): Promise<readonly (Tab | null)[]>;
  /** Loads the planes of a tab that was opened again without being shown. */
  wake(tab: Tab): void;
  /** Uses a token, and then runs what the server refused for lack of one. */
  enterToken(token: string): Promise<void>;
  afterToken: Attempts['afterToken'];
  close(tab: Tab): void;
}

/** @param showFolders shows the dialog that lists folders */
export function createWorkspace(server: Server, showFolders: () => void): Workspace {
  const notices = createNotices();
  const tasks = createTasks();
  const tabs = createTabs();
  const attempts = createAttempts(server, notices, tasks);
  const loader = createLoader(tabs);
  const recents = storedSignal('recents', toRecents);
  const opener = createOpener(tabs, loader, recents, () => !server.signedIn.value?.user);
  const openRequested: Parameters<typeof createRestorer>[0]['open'] = (...request) => openShown(server, ...request);
  const restorer = createRestorer({ open: openRequested, server, notices, tasks, attempts, opener, loader });
  const stacks = createStacks(tabs, server, {
    select: (tab, selection) => workspace.select(tab, { selection }),
    isChanging: (tab, error) => following.isChanging(tab, error),
  });
  const { stackOf } = stacks;
  const following = createFollowing({ tabs, server, notices, tasks, attempts, loader, stackOf });

  const workspace: Workspace = {
    server,
    notices,
    tasks,
    tabs: tabs.list,
    active: tabs.active,
    recents,
    open(request, view = null) {
      if (isRoiName(request.path)) {
        explainRois(workspace);
        return Promise.resolve(false);
      }
      const again = () => void workspace.open(request, view);
      const open = async (task: Task) => {
        const acquisition = await openShown(server, request, view, task);
        await opener.show(acquisition, task, view, view !== null || request.selection?.['Z'] !== undefined);
      };
      return attempts.run(`Opening ${lastPart(request.path)}`, open, again);
    },
    ways: createWaysIn({
      ...{ server, tabs, tasks, attempts, notices, showFolders },
      show: (acquisition, task) => opener.show(acquisition, task, null),
      open: (request) => workspace.open(request),
    }),
    select: (tab, choice) =>
      attempts.run(`Opening ${tab.document.info.value.source.name}`, async (task) => {
        loader.begin(tab, task);
        const acquisition = await tab.document.opened.value
          .select(choice, { signal: task.signal })
          .catch((error: unknown) => loader.stop(tab, task, error));
        await loader.load(tab, task, adopt(tab, acquisition));
      }),
    openKymograph(tab, line) {
      const source = { views: {}, displays: {}, toggles: {}, marks: [] };
      const info = tab.document.info.value;
      // The section of the slider, which the picture may not show yet.
      const wanted = stacks.stackOf(tab).wanted.value;
      const selection = selectionAt(info, wanted);
      const view = { source, kymograph: line };
      if (looksLikePath(info.source.path)) return workspace.open(toRequest({ ...info, selection }), view);
      // The server knows a file that was sent by its sessions alone.
      const again = () => void workspace.openKymograph(tab, line);
      const open = async (task: Task) => {
        const choice = { selection, decode: 'later' } as const;
        const stack = await tab.document.opened.value.openAgain(choice, { signal: task.signal });
        await opener.show(await openKymograph(stack, line, task.signal), task, view);
      };
      return attempts.run(`Opening ${info.source.name}`, open, again);
    },
    project(tab, projection) {
      const { selection } = tab.document.info.value;
      // The wanted place, because the shown one may not have caught up, and has no index of a projected dimension.
      const place = Object.entries({ ...selection, ...stacks.stackOf(tab).lastPlace() });
      const single = place.filter(([dim]) => projection?.[dim as StackDim] === undefined);
      return workspace.select(tab, { selection: Object.fromEntries(single), projection });
    },
    async chooseParts(tab, parts) {
      const choice = { parts, selection: {}, interpret: null, projection: null, channelIndices: null };
      const isDone = await workspace.select(tab, choice);
      if (isDone) rememberFile(recents, tab.document.opened.value);
      return isDone;
    },
    async interpret(tab, interpret) {
      // Indices of time points, sections and channels have another meaning then; a scene stays what it is.
      const { S } = tab.document.info.value.selection ?? {};
      const selection = S === undefined ? {} : { S };
      const choice = { interpret, selection, projection: null, channelIndices: null };
      const isDone = await workspace.select(tab, choice);
      if (isDone) rememberFile(recents, tab.document.opened.value);
      return isDone;
    },
    loadRest: (tab) =>
      attempts.run(`Loading ${tab.document.info.value.source.name}`, (task) => loader.load(tab, task, new Set())),
    following,
    stackOf,
    activate: tabs.activate,
    move: tabs.move,
    leave: tabs.leave,
    waiting: restorer.waiting,
    restore: restorer.restore,
    wake: restorer.wake,
    enterToken: (token) => enterToken(token, server, notices, attempts),
    afterToken: attempts.afterToken,
    close: tabs.close,
  };
  letHiddenTabsGo(tabs, (tab) => {
    if (following.wake(tab)) return;
    // Contrast was chosen or computed before.
    const settled = new Set(allChannels(tab));
    void attempts.run(`Loading ${tab.document.info.value.source.name}`, (task) => loader.load(tab, task, settled));
  });
  return workspace;
}

/** Opens an acquisition, or the kymograph that a view describes. Planes of its stack are decoded one by one. */
async function openShown(
  { client }: Server,
  request: OpenRequest,
  view: ViewState | null,
  { signal }: Task,
): Promise<OpenedAcquisition> {
  if (view?.kymograph === undefined) return client.open({ ...OPEN_CHOICE, ...request }, { signal });
  const stack = await client.open({ ...request, decode: 'later' }, { signal });
  return openKymograph(stack, view.kymograph, signal);
}

async function enterToken(token: string, server: Server, notices: Notices, attempts: Attempts): Promise<void> {
  server.useToken(token);
  notices.dismiss();
  await server.start().catch((error: unknown) => notices.report(error));
  if (server.tokenRequired.value) {
    notices.show({ kind: 'error', code: 'unauthorized', message: 'The server does not accept this token.' });
    return;
  }
  attempts.resume();
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
