/** What rows of a folder show once they have been in view: found out a few at a time, and kept until the page is closed. */
import { type FolderEntry, hasCode } from '@acquisition-store/client';
import { effect } from '@preact/signals';
import type { Tasks } from '../app/tasks.ts';

export interface RowFacts<T> {
  /** Returns what is known of an entry. */
  known(entry: FolderEntry): T | null;
  /** Shows what is found out of an entry that came into view, unless the returned function is called before. */
  want(entry: FolderEntry, show: (found: T) => void): () => void;
}

interface RowWork<T> {
  find(entry: FolderEntry, stop: AbortSignal): Promise<T>;
  /** Returns what to show of an entry that cannot be read. */
  failed(error: unknown): T;
}

/** Entries that are read at a time. */
const MAX_RUNNING = 2;
/** Entries of which is kept what was found out. */
const MAX_KEPT = 500;
/** Milliseconds before a row that came into view costs anything: most rows are scrolled past. */
const DWELL = 150;
/** Milliseconds before the next one when the server has no room for it, or does not respond. */
const PAUSE = 5_000;

/** Errors that say nothing about a file: it is tried again. */
const PASSING = [
  'capacity_exceeded',
  'storage_unavailable',
  'unreachable',
  'interrupted',
  'timeout',
  'unauthorized',
] as const;

interface RowRequest<T> {
  readonly entry: FolderEntry;
  readonly show: (found: T) => void;
}

/** @param tasks what the user waits for: nothing is found out meanwhile */
export function createRowFacts<T>({ list }: Pick<Tasks, 'list'>, work: RowWork<T>): RowFacts<T> {
  const kept = new Map<string, T>();
  /** Entries in view of which nothing is known, in the order in which they came into view. */
  const waiting = new Map<string, RowRequest<T>>();
  const running = new Map<string, AbortController>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let resumesAt = 0;

  const plan = (delay: number) => {
    clearTimeout(timer);
    timer = setTimeout(start, Math.max(delay, resumesAt - Date.now()));
  };
  function start(): void {
    if (list.peek().length > 0) return;
    for (const [key, { entry }] of waiting) {
      if (running.size >= MAX_RUNNING || Date.now() < resumesAt) break;
      if (!running.has(key)) void run(key, entry);
    }
  }
  async function run(key: string, entry: FolderEntry): Promise<void> {
    const stop = new AbortController();
    running.set(key, stop);
    try {
      settle(key, await work.find(entry, stop.signal));
    } catch (error) {
      if (PASSING.some((code) => hasCode(error, code))) resumesAt = Date.now() + PAUSE;
      else if (!stop.signal.aborted) settle(key, work.failed(error));
    } finally {
      running.delete(key);
      if (waiting.size > 0) plan(0);
    }
  }
  function settle(key: string, found: T): void {
    kept.set(key, found);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    waiting.get(key)?.show(found);
    waiting.delete(key);
  }

  // What the user opens comes first: the server has few workers.
  effect(() => {
    if (list.value.length > 0) for (const stop of running.values()) stop.abort();
    else if (waiting.size > 0) plan(0);
  });
  return {
    known: (entry) => kept.get(keyOf(entry)) ?? null,
    want(entry, show) {
      const key = keyOf(entry);
      const found = kept.get(key);
      if (found !== undefined) show(found);
      // A drive that is too slow to be asked for times is too slow for what is in files.
      if (found !== undefined || entry.modified === null) return () => {};
      waiting.set(key, { entry, show });
      plan(DWELL);
      return () => {
        waiting.delete(key);
        running.get(key)?.abort();
      };
    },
  };
}

/** A file that has changed is another one. */
function keyOf({ path, size, modified }: FolderEntry): string {
  return JSON.stringify([path, size, modified]);
}
