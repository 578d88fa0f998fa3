/** Gives memory back to the system when clients have nothing open, and for a while had nothing. */
import type { PlaneArena } from '../planes/plane-memory.js';
import type { SessionServiceOptions } from './service-options.js';

/** Most who open another file do so sooner. */
const AFTER_MS = 3_000;

export class Rest {
  private readonly options: Pick<SessionServiceOptions, 'rest' | 'restAfterMs' | 'report'>;
  private readonly arena: PlaneArena;
  private readonly isUnused: () => boolean;
  /** The warm-up goes on while clients are away: it must not postpone the rest after them. */
  private readonly timers: { client?: NodeJS.Timeout; 'warm-up'?: NodeJS.Timeout } = {};
  private isStopped = false;

  /** @param isUnused whether no client has anything open */
  constructor(options: Rest['options'], arena: PlaneArena, isUnused: () => boolean) {
    this.options = options;
    this.arena = arena;
    this.isUnused = isUnused;
  }

  /** Starts the wait anew, if no client has anything open. @param party who has left */
  begin(party: 'client' | 'warm-up'): void {
    if (this.isStopped || !this.isUnused()) return;
    const { [party]: timer } = this.timers;
    if (timer) timer.refresh();
    else this.timers[party] = setTimeout(() => void this.run(), this.options.restAfterMs ?? AFTER_MS).unref();
  }

  /** Sessions that end later do not begin it again. */
  stop(): void {
    this.isStopped = true;
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
  }

  private async run(): Promise<void> {
    const { rest: steps = [], report } = this.options;
    const goesOn = () => this.isUnused() && !this.isStopped;
    if (this.isUnused()) this.arena.emptySoon();
    try {
      for (const step of steps) if (goesOn()) await step(goesOn);
    } catch (error) {
      report?.(error);
    }
  }
}
