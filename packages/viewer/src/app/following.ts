/** Recordings that are followed, and files that have changed. What opens them again is loaded when it is needed. */

import { hasCode } from '@acquisition-store/client';
import { type Signal, signal } from '@preact/signals';
import { goToNewest } from '../live/newest.ts';
import { Kymograph } from '../stack/kymograph.ts';
import type { Attempts } from './attempts.ts';
import type { Follower, FollowerParts } from './follower.ts';
import { allChannels } from './loading.ts';
import { looksLikePath } from './path-text.ts';
import { followStackRange } from './stack-range.ts';
import type { Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';
import type { Task } from './tasks.ts';

export interface Following {
  /** A tab that is visible beside the active one. */
  readonly beside: Signal<Tab | null>;
  /** Follows a tab until it is closed or `stop` is called, and shows its newest plane or line. */
  start(tab: Tab): Promise<void>;
  stop(tab: Tab): void;
  /** Returns to the newest plane or line. */
  showNewest(tab: Tab): void;
  /** Opens the file of a tab again as it is now. Returns false when that failed; the reason has been shown by then. */
  update(tab: Tab): Promise<boolean>;
  /** Says that the file of a tab has changed, and offers to show it as it is now. */
  offer(tab: Tab): void;
  /** Reads the planes of a followed tab that has let them go. Returns false for other tabs. */
  wake(tab: Tab): boolean;
  /** Returns true when a read of a followed tab failed because its file has changed; it is opened again then. */
  isChanging(tab: Tab, error: unknown): boolean;
}

interface FollowingParts extends FollowerParts {
  readonly tabs: Tabs;
  readonly attempts: Attempts;
}

const load = () => import('./follower.ts');

/** Label of what opens a changed file again. */
export const SHOW_NEWER = 'Show the newer one';

/** True for a file that the server can open again. A kymograph has the time points of its stack. */
export function canFollow({ document }: Tab): boolean {
  return looksLikePath(document.info.value.source.path) && !(document.opened.value instanceof Kymograph);
}

export function createFollowing(parts: FollowingParts): Following {
  const beside = signal<Tab | null>(null);
  const isPageVisible = signal(document.visibilityState === 'visible');
  document.addEventListener('visibilitychange', () => {
    isPageVisible.value = document.visibilityState === 'visible';
  });
  const followers = new Map<Tab, Follower>();
  const isReady = (tab: Tab) => {
    const isShown = parts.tabs.active.value === tab || beside.value === tab;
    const { connection, tokenRequired } = parts.server;
    return isShown && isPageVisible.value && connection.value.state !== 'down' && !tokenRequired.value;
  };
  const following: Following = {
    beside,
    async start(tab) {
      try {
        const { follow } = await load();
        if (followers.has(tab) || tab.ending.signal.aborted) return;
        const stop = () => following.stop(tab);
        followers.set(tab, follow(tab, parts, isReady, stop));
        tab.ending.signal.addEventListener('abort', stop, { once: true });
        following.showNewest(tab);
      } catch (error) {
        parts.notices.report(error);
      }
    },
    stop(tab) {
      followers.get(tab)?.stop();
      followers.delete(tab);
      // The planes that came in the meantime count for the contrast from now on.
      void followStackRange(tab, new Set(allChannels(tab)));
    },
    showNewest: (tab) => goToNewest(tab.document, parts.stackOf(tab)),
    update(tab) {
      const { name } = tab.document.info.peek().source;
      const again = () => void following.update(tab);
      const open = async (task: Task) => {
        const { renew } = await load();
        await renew(tab, task, parts);
      };
      return parts.attempts.run(`Opening ${name}`, open, again);
    },
    offer(tab) {
      const { name } = tab.document.info.peek().source;
      parts.notices.show({
        message: `${name} has changed since it was opened. The images on screen are those read before.`,
        action: { label: SHOW_NEWER, run: () => void following.update(tab) },
      });
    },
    wake(tab) {
      followers.get(tab)?.request();
      return followers.has(tab);
    },
    isChanging: (tab, error) => hasCode(error, 'source_changed') && following.wake(tab),
  };
  return following;
}
