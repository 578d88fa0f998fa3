import type { FindPath } from '../../packages/server/src/picker/types.js';
import { answerLookup } from '../../packages/server/src/storage/answer.js';
import { StorageGate } from '../../packages/server/src/storage/gate.js';
import { LookupThreads } from '../../packages/server/src/storage/lookup-threads.js';

/** Looks at paths on this thread. */
export const findDirectly: FindPath = (path, signal) => directGate().lookups.run({ kind: 'find', path }, signal);

/** A gate that looks things up on this thread. */
export function directGate(): StorageGate {
  return new StorageGate(
    {
      maxStuck: 4,
      report: () => {},
    },
    new LookupThreads(() => ({ run: async (request) => answerLookup(request), close: async () => {} })),
  );
}
