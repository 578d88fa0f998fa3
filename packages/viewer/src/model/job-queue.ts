/** Runs jobs one after another: what shares memory or the graphics card, or should end before the next one begins. */
export class JobQueue {
  #last: Promise<unknown> = Promise.resolve();

  add<T>(job: () => Promise<T>): Promise<T> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
