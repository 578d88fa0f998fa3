import type { RunningServer } from '../../packages/server/src/server/listen.js';

/** Bytes of planes that stay. The warm-up of a server opens files for moments, between which it has none. */
export async function heldBytes({ openSessions }: Pick<RunningServer, 'openSessions'>): Promise<number> {
  const seen: number[] = [];
  for (let i = 0; i < 100; i++) {
    seen.push(openSessions.list().usedBytes);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  return Math.min(...seen);
}
