/** Ends the running task, so that input and frames come in between; not throttled as timers are. */
export function yieldToUi(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

/** Runs jobs one after the other: the first plane is drawn as soon as possible, not all at the end. */
export class JobQueue {
  #last: Promise<void> = Promise.resolve();

  add(job: () => Promise<void>): Promise<void> {
    const result = this.#last.then(job);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
