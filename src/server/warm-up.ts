import { setImmediate, setTimeout } from 'node:timers/promises';
import type { AppDependencies } from './dependencies.js';
import type { App } from './types.js';
import type { SchemaChecks } from './validation.js';

/** Until then the start, or a client that waited for it, needs the processor more. Workers have warmed up by then. */
const AFTER_MS = 1_500;

/** Runs the code that the first client needs before it comes: an open, and the checks of requests and responses. */
export function warmUpWhenIdle(app: App, deps: AppDependencies, checks: SchemaChecks): void {
  const { sessions, warmUpFile, stopping } = deps;
  app.addHook('onListen', () => {
    void warmUp();
  });
  async function warmUp(): Promise<void> {
    await setTimeout(AFTER_MS, undefined, { ref: false });
    while (!stopping.aborted && checks.warmUp()) await setImmediate();
    if (!stopping.aborted) await sessions.warmUp(warmUpFile);
  }
}
