/** Runs a few calls at a time, so that their answers together have a bounded size. */
import { ToolError } from './tool-error.js';

const MAX_RUNNING = 4;
const MAX_WAITING = 64;

export class Turns {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  /** @throws ToolError `too_many_calls`; what `work` throws; the reason of the signal */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.running >= MAX_RUNNING) await this.wait(signal);
    else this.running++;
    try {
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next) next();
      else this.running--;
    }
  }

  /** Resolves when a call that is running hands over its turn. A canceled call makes room for others at once. */
  private wait(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= MAX_WAITING) {
      const text = `${MAX_RUNNING} calls are running and ${MAX_WAITING} are waiting, which is the limit. Try again when some are done.`;
      throw new ToolError('too_many_calls', text);
    }
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.waiting.delete(start);
        reject(signal.reason);
      };
      const start = () => {
        this.waiting.delete(start);
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      this.waiting.add(start);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }
}
