import { nextTurn } from '../../base/turn.js';

/** Time between two looks at the signal and the event loop, in ms. */
const INTERVAL = 50;

/**
 * Lets an abort reach a reader whose reads are synchronous: between pieces of a plane the event loop runs now and
 * then. Without a signal it costs nothing.
 */
export class Pace {
  private readonly signal: AbortSignal | undefined;
  private last = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal;
  }

  /** True when `rest` should be awaited. */
  get due(): boolean {
    return this.signal !== undefined && (this.signal.aborted || performance.now() - this.last > INTERVAL);
  }

  /** Lets the event loop run once. @throws the signal's reason when it was aborted */
  async rest(): Promise<void> {
    this.signal?.throwIfAborted();
    await nextTurn();
    this.signal?.throwIfAborted();
    this.last = performance.now();
  }
}
