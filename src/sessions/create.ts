import { createDecodePool } from '../decode/pool.js';
import type { ServerOptions } from '../options.js';
import { createSessionService } from './service.js';
import type { SessionService } from './types.js';

/**
 * The sessions of a server: workers, cache and policy as its options say. `close` ends all of them.
 * @param allowedExtensions those that this build reads and the operator allows
 * @param report learns of errors that no client is told of
 */
export function createSessions(
  options: ServerOptions,
  allowedExtensions: readonly string[],
  report?: (error: unknown) => void,
): SessionService {
  const decoder = createDecodePool({ workers: options.decodeWorkers, queue: options.decodeQueue });
  return createSessionService({ ...options, decoder, allowedExtensions, ...(report ? { report } : {}) });
}
