/** Computations of all clients, which take turns. */
import { inSlices } from '@acquisition-store/readers/derive/analysis/slices.js';
import { FairQueue } from '../fair-queue.js';
import type { SessionService } from '../sessions/service.js';

/** Max computations that have begun, and hold memory: of all, of one party, and of one session. */
const MAX_BEGUN = 64;
const MAX_BEGUN_PER_PARTY = 8;
const MAX_BEGUN_PER_SESSION = 4;
/** Max computations that wait to begin. */
const MAX_WAITING = 256;

/**
 * Runs a computation of a session that takes some memory, and stops it when the signal is aborted.
 * @throws AcqError `capacity_exceeded` when too many wait; the reason of the signal
 */
export type Compute = <T>(
  sessionId: string,
  signal: AbortSignal,
  computation: Generator<void, T>,
  scratchBytes?: number,
) => Promise<T>;

/**
 * Returns what runs the computations of all clients: one slice of one of them at a time. A short one waits for slices of
 * those that have begun, not for their ends.
 */
export function createCompute({ sessions }: { sessions: Pick<SessionService, 'who' | 'memory'> }): Compute {
  const begun = new FairQueue({
    name: 'computations',
    atOnce: MAX_BEGUN,
    perParty: MAX_BEGUN_PER_PARTY,
    perSession: MAX_BEGUN_PER_SESSION,
    maxWaiting: MAX_WAITING,
  });
  const slices = new FairQueue({ name: 'slices', atOnce: 1, maxWaiting: MAX_BEGUN });
  return async (sessionId, signal, computation, scratchBytes = 0) => {
    const who = sessions.who(sessionId);
    const inTurns = () => inSlices(computation, signal, (slice) => slices.run(who, signal, slice));
    return begun.run(who, signal, () => sessions.memory.withScratch(scratchBytes, inTurns));
  };
}
