/** Listens to changes of the files of a tab that is followed, and opens them again. */

import { hasCode } from '@acquisition-store/client';
import { signal as createSignal, effect } from '@preact/signals';
import type { Live } from '../live/live.ts';
import { growthOf, isAtNewest, isPaused } from '../live/newest.ts';
import { messageOf } from '../model/message-of.ts';
import type { Stack } from '../stack/stack.ts';
import { isAbort } from './notices.ts';
import { pause, until } from './pause.ts';
import { type RenewalParts, renew } from './renewal.ts';
import type { Server } from './server.ts';
import type { Tab } from './tab.ts';
import type { Task, Tasks } from './tasks.ts';

export { renew } from './renewal.ts';

export interface FollowerParts extends RenewalParts {
  readonly server: Server;
  readonly tasks: Tasks;
}

export interface Follower {
  /** Opens the file again soon. */
  request(): void;
  stop(): void;
}

/**
 * Follows a tab until it is stopped.
 * @param isReady true while the tab is visible, and the server can be asked
 * @param end stops it when the file may not be opened again
 */
export function follow(tab: Tab, parts: FollowerParts, isReady: (tab: Tab) => boolean, end: () => void): Follower {
  return new TabFollower(tab, parts, isReady, end);
}

/** Milliseconds from the start of one opening to that of the next. */
const INTERVAL = 1_000;
/** Milliseconds until a file that could not be read, or a connection that broke, is tried again; doubled each time. */
const FIRST_RETRY = 1_000;
const LAST_RETRY = 30_000;

/** Follows one tab. Each change of its files opens them once; changes in the meantime are one change. */
class TabFollower implements Follower {
  readonly #tab: Tab;
  readonly #stack: Stack;
  readonly #parts: FollowerParts;
  readonly #isReady: (tab: Tab) => boolean;
  readonly #end: () => void;
  readonly #ending = new AbortController();
  readonly #stops: (() => void)[];
  #isWorking = false;
  #isRequested = false;
  #lastStart = Number.NEGATIVE_INFINITY;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryIn = FIRST_RETRY;

  constructor(tab: Tab, parts: FollowerParts, isReady: (tab: Tab) => boolean, end: () => void) {
    this.#tab = tab;
    this.#parts = parts;
    this.#isReady = isReady;
    this.#end = end;
    const { document, live } = tab;
    const stack = parts.stackOf(tab);
    this.#stack = stack;
    stack.traceReading.isLive.value = true;
    live.value = {
      seen: growthOf(document).size,
      shown: Number.POSITIVE_INFINITY,
      changedAt: Date.now(),
      failedAt: null,
      failure: '',
    };
    this.#stops = [
      effect(() => {
        const { size } = growthOf(document);
        if (isAtNewest(document, stack.wanted.value, live.value?.shown)) this.#set({ seen: size });
      }),
      effect(() => {
        const acquisition = document.opened.value;
        if (!isReady(tab)) return undefined;
        const controller = new AbortController();
        void this.#listen(acquisition, controller.signal);
        return () => controller.abort();
      }),
    ];
  }

  request(): void {
    this.#isRequested = true;
    if (!this.#isWorking) void this.#work();
  }

  stop(): void {
    this.#ending.abort();
    clearTimeout(this.#retry);
    for (const stop of this.#stops) stop();
    this.#stack.traceReading.isLive.value = false;
    this.#tab.live.value = null;
  }

  #set(change: Partial<Live>): void {
    const live = this.#tab.live.peek();
    const isNew = live !== null && Object.entries(change).some(([key, value]) => live[key as keyof Live] !== value);
    if (isNew) this.#tab.live.value = { ...live, ...change };
  }

  /** Listens to one session, until the tab has another one or is not visible. */
  async #listen(acquisition: Tab['document']['opened']['value'], signal: AbortSignal): Promise<void> {
    for (let wait = FIRST_RETRY; !signal.aborted; wait = Math.min(2 * wait, LAST_RETRY)) {
      try {
        for await (const event of acquisition.events({ signal })) {
          if (event.type === 'ended') break;
          wait = FIRST_RETRY;
          this.#compare(event.revision, acquisition.info.source.revision);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (hasCode(error, 'session_not_found')) return this.request();
        this.#parts.server.suspect(error);
      }
      await pause(wait, signal);
    }
  }

  #compare(now: string | null, opened: string | undefined): void {
    if (now === null || now === opened) return;
    this.#set({ changedAt: Date.now() });
    this.request();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    const { signal } = this.#ending;
    try {
      while (this.#isRequested && !signal.aborted) {
        await pause(this.#lastStart + INTERVAL - performance.now(), signal);
        await until(() => this.#isFree(), signal);
        if (signal.aborted) return;
        clearTimeout(this.#retry);
        this.#isRequested = false;
        this.#lastStart = performance.now();
        await this.#renew();
      }
    } finally {
      this.#isWorking = false;
    }
  }

  /** True when the tab is visible, and nothing that was asked for would be lost by planes of another session. */
  #isFree(): boolean {
    const { loader, tasks } = this.#parts;
    const running = loader.newest(this.#tab);
    const isLoading = tasks.list.value.some((task) => task === running);
    const isBusy = isLoading || isPaused(this.#tab.document, this.#stack) || this.#stack.traceReading.busy.value;
    return !isBusy && this.#isReady(this.#tab);
  }

  async #renew(): Promise<void> {
    try {
      const place = await renew(this.#tab, createQuietTask(this.#ending), this.#parts);
      const { of } = growthOf(this.#tab.document);
      if (of !== 'line' && place !== null) this.#set({ shown: place[of] });
      this.#retryIn = FIRST_RETRY;
      this.#set({ failedAt: null, failure: '' });
    } catch (error) {
      if (!isAbort(error)) this.#fail(error);
    }
  }

  /** The picture stays. What is being written can be read soon. */
  #fail(error: unknown): void {
    const { server, notices } = this.#parts;
    server.suspect(error);
    if (hasCode(error, 'path_not_allowed') || hasCode(error, 'blocked')) {
      notices.report(error);
      this.#end();
      return;
    }
    const failure = messageOf(error);
    this.#set({ failedAt: this.#tab.live.peek()?.failedAt ?? Date.now(), failure });
    this.#retry = setTimeout(() => this.request(), this.#retryIn);
    this.#retryIn = Math.min(2 * this.#retryIn, LAST_RETRY);
  }
}

/** A task that the list of tasks does not show. It is canceled when the user opens something else in the tab. */
function createQuietTask(ending: AbortController): Task {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, ending.signal]);
  return { id: 0, label: createSignal(''), progress: createSignal(null), signal, cancel: () => controller.abort() };
}
