/** Small pictures of the files of a folder: drawn for the rows in view, and kept until the page is closed. */

import { type FolderEntry, hasCode } from '@acquisition-store/client';
import { effect } from '@preact/signals';
import type { Tasks } from '../app/tasks.ts';
import type { Engine, OpenedAcquisition } from '../model/client.ts';
import { messageOf } from '../model/message-of.ts';
import { drawFile, type FilePicture } from './draw-file.ts';

export interface FilePictures {
  /** Returns the picture of an entry if it has been drawn. */
  known(entry: FolderEntry): FilePicture | null;
  /** Shows the picture of an entry that came into view once it is drawn, unless the returned function is called before. */
  want(entry: FolderEntry, show: (picture: FilePicture) => void): () => void;
}

/** Files that are open for their pictures at a time. */
const MAX_RUNNING = 2;
/** Pictures that are kept. */
const MAX_KEPT = 500;
/** Milliseconds before a row that came into view costs anything: most rows are scrolled past. */
const DWELL = 150;
/** Milliseconds before the next picture when the server has no room for it, or does not respond. */
const PAUSE = 5_000;
/** Milliseconds that a canceled open has to end by itself, before its request is canceled. */
const GRACE = 1_000;
/** Life of a session that nobody closes, because its page was killed. */
const TTL_SECONDS = 60;

/** Errors that say nothing about a file: it is tried again. */
const PASSING = [
  'capacity_exceeded',
  'storage_unavailable',
  'unreachable',
  'interrupted',
  'timeout',
  'unauthorized',
] as const;

interface PictureRequest {
  readonly entry: FolderEntry;
  readonly show: (picture: FilePicture) => void;
}

/** @param tasks what the user waits for: no picture is drawn meanwhile */
export function createFilePictures(client: Engine, { list }: Pick<Tasks, 'list'>): FilePictures {
  const kept = new Map<string, FilePicture>();
  /** Entries in view that have no picture, in the order in which they came into view. */
  const waiting = new Map<string, PictureRequest>();
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
      settle(key, await withFile(client, entry.path, stop.signal, drawFile));
    } catch (error) {
      if (PASSING.some((code) => hasCode(error, code))) resumesAt = Date.now() + PAUSE;
      else if (!stop.signal.aborted) settle(key, { address: null, note: messageOf(error) });
    } finally {
      running.delete(key);
      if (waiting.size > 0) plan(0);
    }
  }
  function settle(key: string, picture: FilePicture): void {
    kept.set(key, picture);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    waiting.get(key)?.show(picture);
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
      const picture = kept.get(key);
      if (picture) show(picture);
      // A drive that is too slow to be asked for times is too slow for pictures.
      if (picture || entry.modified === null) return () => {};
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

/** Opens a file without its planes, and closes it again whatever happens. */
async function withFile<T>(
  client: Engine,
  path: string,
  stop: AbortSignal,
  work: (acquisition: OpenedAcquisition, stop: AbortSignal) => Promise<T>,
): Promise<T> {
  // An answer that is on its way when the request is canceled leaves a session that nobody knows.
  const giveUp = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  stop.addEventListener('abort', () => {
    timer = setTimeout(() => giveUp.abort(), GRACE);
  });
  const request = { path, decode: 'later', ttlSeconds: TTL_SECONDS } as const;
  const acquisition = await client.open(request, { signal: giveUp.signal }).finally(() => clearTimeout(timer));
  try {
    stop.throwIfAborted();
    return await work(acquisition, stop);
  } finally {
    await acquisition.close();
  }
}
