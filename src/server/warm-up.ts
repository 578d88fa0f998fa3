import { setImmediate, setTimeout } from 'node:timers/promises';
import type { AppDependencies } from './dependencies.js';
import type { App } from './types.js';
import type { SchemaChecks } from './validation.js';

/** Until then the start, or a client that waited for it, needs the processor more. */
const AFTER_MS = 3_500;
/** V8 collects types from the second open on. */
const ROUNDS = 4;

/** Runs the code that the first client needs before it comes: opens, and the checks of requests and responses. */
export function warmUpWhenIdle(app: App, deps: AppDependencies, checks: SchemaChecks): void {
  app.addHook('onListen', () => {
    void warmUp(deps, checks);
  });
}

async function warmUp({ sessions, warmUpFile, stopping }: AppDependencies, checks: SchemaChecks): Promise<void> {
  await setTimeout(AFTER_MS, undefined, { ref: false });
  for (let round = 0; round < ROUNDS; round++) {
    if (stopping.aborted) return;
    const opened = await sessions.warmUp(warmUpFile);
    for (const _ of checks.warmUp([opened, { path: warmUpFile }])) {
      await setImmediate();
      if (stopping.aborted) return;
    }
  }
}
