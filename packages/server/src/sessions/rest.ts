/** Gives memory back to the system when clients have nothing open, and for a while had nothing. */
import type { PlaneArena } from '../planes/plane-memory.js';
import type { SessionServiceOptions } from './service-options.js';

/** Most who open another file do so sooner. */
const AFTER_MS = { grown: 3_000, always: 15_000 };
/** While somebody may open another file, a collection that finds less is not worth the milliseconds that the next open takes longer. */
const GROWN_BYTES = 12 * 2 ** 20;

/**
 * Returns what begins a rest, and what ends all of them.
 * @param isUnused whether no client has anything open
 */
export function createRest(
  {
    rest: steps = [],
    restAfterMs = AFTER_MS,
    residentBytes = process.memoryUsage.rss,
    report,
  }: Pick<SessionServiceOptions, 'rest' | 'restAfterMs' | 'residentBytes' | 'report'>,
  arena: PlaneArena,
  isUnused: () => boolean,
) {
  /** The warm-up goes on while clients are away: it must not postpone the rest after them. */
  const timers: { client?: NodeJS.Timeout; 'warm-up'?: NodeJS.Timeout; always?: NodeJS.Timeout } = {};
  let isStopped = false;
  const goesOn = () => isUnused() && !isStopped;
  /** Free memory of planes goes back by itself. */
  const ownBytes = () => residentBytes() - arena.state.freeBytes;
  let bytesAtRest = 0;

  async function run(when: 'grown' | 'always'): Promise<void> {
    if (!goesOn()) return;
    arena.emptySoon();
    if (when === 'grown' && ownBytes() < bytesAtRest + GROWN_BYTES) {
      timers.always = setTimeout(() => void run('always'), restAfterMs.always - restAfterMs.grown).unref();
      return;
    }
    try {
      for (const step of steps) if (goesOn()) await step(goesOn);
      if (goesOn()) bytesAtRest = ownBytes();
    } catch (error) {
      report?.(error);
    }
  }

  return {
    /** Starts the wait anew, if no client has anything open. @param party who has left */
    begin(party: 'client' | 'warm-up'): void {
      if (!goesOn()) return;
      const { [party]: timer, always } = timers;
      if (party === 'client') clearTimeout(always);
      if (timer) timer.refresh();
      else
        timers[party] = setTimeout(() => void run(party === 'client' ? 'grown' : 'always'), restAfterMs.grown).unref();
    },
    /** Sessions that end later do not begin it again. */
    stop(): void {
      isStopped = true;
      for (const timer of Object.values(timers)) clearTimeout(timer);
    },
  };
}
