/**
 * Runs jobs one after another, so that the first plane can be drawn as soon as possible instead of all planes at the
 * end.
 */
export class JobQueue {
  #last: Promise<void> = Promise.resolve();

  add(job: () => Promise<void>): Promise<void> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
