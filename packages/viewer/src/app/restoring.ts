/** Opens the tabs of an earlier visit again. */

import type { OpenRequest } from '@acquisition-store/client/contract/open.js';
import { type ReadonlySignal, signal } from '@preact/signals';
import type { OpenedAcquisition } from '../model/client.ts';
import type { Attempts } from './attempts.ts';
import type { Loader } from './loading.ts';
import { isAbort, type Notices } from './notices.ts';
import { toRequest } from './open-request.ts';
import type { Opener } from './opening.ts';
import type { StoredTab } from './page-entry.ts';
import type { Settled } from './planes.ts';
import type { Server } from './server.ts';
import type { Tab } from './tab.ts';
import type { Task, Tasks } from './tasks.ts';
import { decodeView, type ViewState } from './view-state.ts';

interface Restorer {
  readonly waiting: ReadonlySignal<readonly StoredTab[]>;
  restore(stored: readonly StoredTab[], position: number, first: Promise<Tab | null>): Promise<readonly (Tab | null)[]>;
  wake(tab: Tab): void;
}

interface RestoringParts {
  /** Opens an acquisition, or the kymograph that a view describes. */
  readonly open: (request: OpenRequest, view: ViewState | null, task: Task) => Promise<OpenedAcquisition>;
  readonly server: Server;
  readonly notices: Notices;
  readonly tasks: Tasks;
  readonly attempts: Attempts;
  readonly opener: Opener;
  readonly loader: Loader;
}

export function createRestorer({ open, server, notices, tasks, attempts, opener, loader }: RestoringParts): Restorer {
  const waiting = signal<readonly StoredTab[]>([]);
  /** Tabs without planes, with the channels that keep their contrast. */
  const asleep = new WeakMap<Tab, Settled>();

  async function restoreOne({ path, view }: StoredTab, before: Tab | undefined): Promise<Tab> {
    const state = view === '' ? null : decodeView(view);
    const { tab, settled } = await tasks.run(`Opening ${nameOf(path)}`, async (task) =>
      opener.add(await open(toRequest(path, state), state, task), task, state, before),
    );
    asleep.set(tab, settled);
    return tab;
  }

  return {
    waiting,
    async restore(stored, position, first) {
      const failed: string[] = [];
      // Another reload in the meantime must not lose them.
      waiting.value = stored.filter((_, i) => i !== position);
      const shown = await first;
      const opened: (Tab | null)[] = stored.map((_, i) => (i === position ? shown : null));
      for (const [i, tab] of stored.entries()) {
        if (i === position) continue;
        try {
          opened[i] = await restoreOne(tab, opened.slice(i + 1).find((later) => later !== null) ?? undefined);
        } catch (error) {
          server.suspect(error);
          if (!isAbort(error)) failed.push(nameOf(tab.path));
        }
        waiting.value = waiting.value.slice(1);
      }
      if (failed.length > 0) {
        notices.show({
          kind: 'error',
          message: `Could not open again: ${failed.join(', ')}.`,
          hint: 'The files may have been moved, renamed or deleted.',
        });
      }
      return opened;
    },
    wake(tab) {
      const settled = asleep.get(tab);
      if (settled === undefined) return;
      asleep.delete(tab);
      const { name } = tab.document.info.peek().source;
      void attempts.run(`Loading ${name}`, (task) => loader.load(tab, task, settled));
    },
  };
}

function nameOf(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}
