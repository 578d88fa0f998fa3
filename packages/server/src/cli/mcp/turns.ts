/** Runs a few calls at a time, so that their answers together have a bounded size. */
import { ToolError } from './tool-error.js';

const MAX_RUNNING = 4;
const MAX_WAITING = 64;

export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @throws ToolError `too_many_calls`; what `work` throws */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= MAX_RUNNING) await this.wait();
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private wait(): Promise<void> {
    if (this.waiting.length >= MAX_WAITING) {
      const text = `${MAX_RUNNING} calls are running and ${MAX_WAITING} are waiting, which is the limit. Try again when some are done.`;
      throw new ToolError('too_many_calls', text);
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
