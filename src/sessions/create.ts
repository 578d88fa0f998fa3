import { createDecodePool } from '../decode/pool.js';
import type { ServerOptions } from '../options.js';
import type { StorageGate } from '../storage/gate.js';
import { createSessionService } from './service.js';
import type { SessionService } from './types.js';

/**
 * The sessions of a server: workers, cache and policy as its options say. `close` ends all of them.
 * @param allowedExtensions those that this build reads and the operator allows
 * @param gate belongs to the sessions from now on, and is closed with them
 * @param report learns of errors that no client is told of
 */
export function createSessions(
  options: ServerOptions,
  allowedExtensions: readonly string[],
  gate: StorageGate,
  report?: (error: unknown) => void,
): SessionService {
  const decoder = createDecodePool({ workers: options.decodeWorkers, queue: options.decodeQueue });
  return createSessionService({ ...options, decoder, gate, allowedExtensions, ...(report ? { report } : {}) });
}
