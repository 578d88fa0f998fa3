/** Small pictures of the files of a folder: drawn for the rows in view. */
import type { Tasks } from '../app/tasks.ts';
import type { Engine, OpenedAcquisition } from '../model/client.ts';
import { messageOf } from '../model/message-of.ts';
import { drawFile, type FilePicture } from './draw-file.ts';
import { createRowFacts, type RowFacts } from './row-facts.ts';

/** Milliseconds that a canceled open has to end by itself, before its request is canceled. */
const GRACE = 1_000;
/** Life of a session that nobody closes, because its page was killed. */
const TTL_SECONDS = 60;

export type FilePictures = RowFacts<FilePicture>;

/** @param tasks what the user waits for: no picture is drawn meanwhile */
export function createFilePictures(client: Engine, tasks: Pick<Tasks, 'list'>): FilePictures {
  return createRowFacts<FilePicture>(tasks, {
    find: ({ path }, stop) => withFile(client, path, stop, drawFile),
    failed: (error) => ({ address: null, note: messageOf(error) }),
  });
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
