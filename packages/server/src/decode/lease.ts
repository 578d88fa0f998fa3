import type { DecodeLease, LeaseOptions, OpenedFile } from './types.js';
import type { WorkerThread } from './worker-thread.js';

/** What a running lease has open. */
export interface LeaseHoldings {
  /** Name to keep the file by; `undefined` when it is to be closed. */
  keep: string | undefined;
  /** The file, when it can be kept. */
  opened: OpenedFile | undefined;
  mayBeOpen: boolean;
}

/** Returns the calls of a lease, which note in `held` what is open. */
export function toLease(worker: WorkerThread, held: LeaseHoldings, { label, signal }: LeaseOptions): DecodeLease {
  const call: WorkerThread['call'] = async (...args) => {
    signal.throwIfAborted();
    return worker.call(...args);
  };
  return {
    opened: held.opened,
    open: async (file) => {
      held.mayBeOpen = true;
      held.opened = undefined;
      held.opened = await call(label, { kind: 'open', file });
      return held.opened;
    },
    view: async (scene) => {
      held.opened = await call(label, { kind: 'view', scene });
      return held.opened;
    },
    info: () => call(label, { kind: 'info' }),
    survey: (file) => call(label, { kind: 'survey', file }),
    metadata: (scene) => call(label, { kind: 'metadata', scene }),
    planes: (scene, part) => call(label, { kind: 'planes', scene, part }),
    plane: async (plane, memory, isLast = false) => {
      const files = await call(label, { kind: 'plane', plane, isLast }, memory);
      if (!isLast) return undefined;
      held.opened = undefined;
      held.mayBeOpen = false;
      return files;
    },
    overview: (plane, grid) => call(label, { kind: 'overview', plane, grid }),
    check: (further) => call(label, { kind: 'check', ...(further && { further }) }),
    close: async (further) => {
      held.opened = undefined;
      const files = await call(label, { kind: 'close', ...(further && { further }) });
      held.mayBeOpen = false;
      return files;
    },
  };
}
