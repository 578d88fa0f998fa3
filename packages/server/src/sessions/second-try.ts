import { setTimeout } from 'node:timers/promises';
import { AcqError } from '@acquisition-store/readers/base/errors.js';

const PAUSE_MS = 1_000;

/** Runs `work` again when files have changed: another machine may see a change a moment earlier or later. */
export async function withSecondTry<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'source_changed') throw error;
    await setTimeout(PAUSE_MS, undefined, { signal });
    return work();
  }
}
