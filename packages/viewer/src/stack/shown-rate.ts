import { type ReadonlySignal, signal } from '@preact/signals';

/** Milliseconds between two updates. */
const INTERVAL = 500;

/** Counts the planes that are shown while a stack plays. */
export class ShownRate {
  readonly #perSecond = signal<number | null>(null);
  #planes = 0;
  #since = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Planes per second; null at rest. */
  get perSecond(): ReadonlySignal<number | null> {
    return this.#perSecond;
  }

  count(): void {
    this.#planes += 1;
  }

  start(): void {
    clearInterval(this.#timer);
    this.#begin();
    this.#timer = setInterval(() => {
      this.#perSecond.value = (1000 * this.#planes) / (performance.now() - this.#since);
      this.#begin();
    }, INTERVAL);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#perSecond.value = null;
  }

  #begin(): void {
    this.#planes = 0;
    this.#since = performance.now();
  }
}
