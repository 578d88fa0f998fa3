/** Runs long loops over samples in short slices, so that the page responds between them. */
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
  /** Called with the fraction done, 0 to 1, at each pause and at the end. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  /** Max milliseconds between two pauses; 8 by default, half a frame. */
  readonly budgetMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Units of work between two looks at the clock; for units that take longer than a sample. */
  readonly blockLength?: number | undefined;
}

export interface Slices {
  /**
   * Calls `work(from, to)` over [0, total) in blocks and pauses when the time is up. `share` is the fraction of the
   * whole job that this loop represents. Rejects with the reason of an aborted signal.
   */
  each(total: number, work: (from: number, to: number) => void, share?: number): Promise<void>;
}

/** Samples per block: about 20 to 100 µs of work, short enough for a budget in milliseconds. */
export const BLOCK_LENGTH = 16_384;

const CLOCK: Clock = { now: () => performance.now(), pause: yieldToPage };

/** Creates the slices of one job, whose loops share a budget. */
export function createSlices({
  signal,
  onProgress,
  budgetMs = 8,
  clock = CLOCK,
  blockLength = BLOCK_LENGTH,
}: SliceOptions = {}): Slices {
  let started = clock.now();
  let done = 0;
  return {
    async each(total, work, share = 1) {
      signal?.throwIfAborted();
      for (let from = 0; from < total; from += blockLength) {
        const to = Math.min(total, from + blockLength);
        work(from, to);
        if (clock.now() - started < budgetMs) continue;
        onProgress?.(done + (share * to) / total);
        await clock.pause();
        signal?.throwIfAborted();
        started = clock.now();
      }
      done += share;
      onProgress?.(Math.min(1, done));
    },
  };
}
