/** Runs jobs one after another: what shares memory or the graphics card, or should end before the next one begins. */
export class JobQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs a job when it is its turn.
   * @param signal ends the wait for its turn; then the job is not run
   * @throws what the job throws; the reason of the signal
   */
  async add<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    let leave = () => {};
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal?.reason);
    });
    signal?.addEventListener('abort', leave, { once: true });
    const result = this.#last.then(() => {
      signal?.removeEventListener('abort', leave);
      signal?.throwIfAborted();
      return job();
    });
    this.#last = result.catch(() => undefined);
    return Promise.race([result, left]);
  }
}
