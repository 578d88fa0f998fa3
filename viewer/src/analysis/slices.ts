/** Long loops over samples in short turns, so that the page responds between them. */
import { yieldToPage } from '../model/yield-to-page.ts';

/** Tells the time and gives the page its turn. Tests replace it. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Resolves after other waiting work (input, painting) has had a turn. */
  pause(): Promise<void>;
}

export interface SliceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Part done, 0 to 1; called at each pause and at the end. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  /** Longest time between two pauses; 8 ms by default, half a frame. */
  readonly budgetMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

export interface Slices {
  /**
   * Calls `work(from, to)` over [0, total) in blocks, and pauses when the time is up. `share` is the part of the whole job
   * that this loop stands for. Rejects with the signal's reason once aborted.
   */
  each(total: number, work: (from: number, to: number) => void, share?: number): Promise<void>;
}

/** Some 20 to 100 µs of work: fine enough for any budget of milliseconds. */
export const BLOCK_LENGTH = 16_384;

const CLOCK: Clock = { now: () => performance.now(), pause: yieldToPage };

/** One job: its budget is kept across all its loops. */
export function createSlices({ signal, onProgress, budgetMs = 8, clock = CLOCK }: SliceOptions = {}): Slices {
  let begun = clock.now();
  let done = 0;
  return {
    async each(total, work, share = 1) {
      signal?.throwIfAborted();
      for (let from = 0; from < total; from += BLOCK_LENGTH) {
        const to = Math.min(total, from + BLOCK_LENGTH);
        work(from, to);
        if (clock.now() - begun < budgetMs) continue;
        onProgress?.(done + (share * to) / total);
        await clock.pause();
        signal?.throwIfAborted();
        begun = clock.now();
      }
      done += share;
      onProgress?.(Math.min(1, done));
    },
  };
}
