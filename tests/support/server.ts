/** Servers in the process of a test. They do not warm up, which takes seconds of processor time: few tests need it. */
import { createServer as createWarmServer, type RunningServer } from '../../packages/server/src/index.js';
import type { ServerOptions } from '../../packages/server/src/options.js';
import type { ServerParts } from '../../packages/server/src/server/start.js';

export type { RunningServer };

/** As that of the package, except that the server starts cold. */
export function createServer(options: Partial<ServerOptions> = {}, parts: ServerParts = {}): Promise<RunningServer> {
  return createWarmServer({ ...options, coldStart: true }, parts);
}
