import { availableParallelism } from 'node:os';
import { collectGarbage } from '../collect-garbage.js';
import { DecodePool } from '../decode/pool.js';
import type { ServerOptions } from '../options.js';
import type { StorageGate } from '../storage/gate.js';
import { createSessionService } from './service.js';
import type { SessionServiceOptions } from './service-options.js';
import type { SessionService } from './types.js';

/**
 * Creates the sessions of a server, with the workers, the cache and the policy of its options. `close` ends them all.
 * @param allowedExtensions extensions that this build reads and the operator allows
 * @param gate owned by the sessions, which close it
 */
export function createSessions(
  options: ServerOptions,
  allowedExtensions: readonly string[],
  gate: StorageGate,
  hooks: Pick<SessionServiceOptions, 'report' | 'store'> = {},
): SessionService {
  const { decodeWorkers: workers, decodeQueue: queue, coldStart } = options;
  const decoder = new DecodePool({ workers, queue, coldStart });
  const memoryPerOwnerBytes = options.memoryPerOwnerBytes ?? Math.floor(options.memoryBudgetBytes / 2);
  return createSessionService({
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
}
