import { availableParallelism } from 'node:os';
import { collectGarbage } from '../collect-garbage.js';
import { DecodePool } from '../decode/pool.js';
import type { ServerOptions } from '../options.js';
import type { StorageGate } from '../storage/gate.js';
import { Following } from './following.js';
import { Overviews } from './overviews.js';
import { SessionService } from './service.js';
import type { SessionServiceOptions } from './service-options.js';
import { Sources } from './sources.js';
import { Surveying } from './surveying.js';

/**
 * Creates the sessions of a server, with the workers, the cache and the policy of its options, and the services beside them.
 * `sessions.close` ends them; call `following.stop` first, so that those who follow a session learn that the server stops.
 * @param allowedExtensions extensions that this build reads and the operator allows
 * @param gate owned by the sessions, which close it
 */
export function createSessions(
  options: ServerOptions,
  allowedExtensions: readonly string[],
  gate: StorageGate,
  hooks: Pick<SessionServiceOptions, 'report' | 'store'> = {},
) {
  const { decodeWorkers: workers, decodeQueue: queue, coldStart } = options;
  const decoder = new DecodePool({ workers, queue, coldStart });
  const memoryPerOwnerBytes = options.memoryPerOwnerBytes ?? Math.floor(options.memoryBudgetBytes / 2);
  const sessions = new SessionService({
    ...options,
    memoryPerOwnerBytes,
    decoder,
    workers: workers || availableParallelism(),
    gate,
    allowedExtensions,
    // One thread at a time: a client that comes finds another one.
    rest: [(goesOn) => decoder.rest(goesOn), collectGarbage],
    ...hooks,
  });
  return {
    sessions,
    sources: new Sources(sessions),
    overviews: new Overviews(sessions),
    following: new Following(sessions),
    surveying: new Surveying(sessions),
  };
}
