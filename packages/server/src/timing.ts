/** Where the time of a request goes: until a worker is free, in opening the file, in decoding. */
export type Stage = 'wait' | 'open' | 'decode';

/** Milliseconds of each stage. */
export class Timing {
  private readonly milliseconds: Record<Stage, number> = { wait: 0, open: 0, decode: 0 };

  add(stage: Stage, milliseconds: number): void {
    this.milliseconds[stage] += milliseconds;
  }

  /** Runs `work`, and adds the time that it takes. */
  async measure<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    try {
      return await work();
    } finally {
      this.add(stage, performance.now() - start);
    }
  }

  of(stage: Stage): number {
    return this.milliseconds[stage];
  }

  /** Returns the value of a `Server-Timing` header. */
  toHeader(): string {
    const entries = Object.entries(this.milliseconds);
    return entries.map(([stage, milliseconds]) => `${stage};dur=${milliseconds.toFixed(1)}`).join(', ');
  }
}

/** Like `Timing.measure`; without one, it only runs `work`. */
export function measure<T>(timing: Timing | undefined, stage: Stage, work: () => Promise<T>): Promise<T> {
  return timing ? timing.measure(stage, work) : work();
}
