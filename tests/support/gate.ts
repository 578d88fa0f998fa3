import type { FindPath } from '../../src/picker/types.js';
import { answerLookup } from '../../src/storage/answer.js';
import { StorageGate } from '../../src/storage/gate.js';

/** Looks at paths on this thread. */
export const findDirectly: FindPath = (path, signal) => directGate().find(path, signal);

/** A gate that looks things up on this thread. */
export function directGate(): StorageGate {
  return new StorageGate({
    maxStuck: 4,
    report: () => {},
    createRunner: () => ({ run: async (request) => answerLookup(request), close: async () => {} }),
  });
}
