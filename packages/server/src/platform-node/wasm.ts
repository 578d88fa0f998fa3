import type { Wasm } from '@acquisition-store/readers/base/platform.js';
import { readWasm } from '../package-files.js';

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/** The files of the package, and codecs that were built for Node too. */
export const nodeWasm: Wasm = { read: readWasm, start: withoutHandlers };

/** Some codecs add handlers to the process, which would abort it on any rejection. Removes them. */
function withoutHandlers<T>(create: () => T): T {
  const before = EVENTS.map((event) => listenersOf(event));
  const created = create();
  for (const [i, event] of EVENTS.entries()) {
    for (const listener of listenersOf(event)) {
      if (!before[i]!.includes(listener)) process.removeListener(event, listener);
    }
  }
  return created;
}

function listenersOf(event: (typeof EVENTS)[number]) {
  return process.listeners(event as 'uncaughtException');
}
