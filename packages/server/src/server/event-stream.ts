import { Readable } from 'node:stream';

/** Text that a client has not taken and the system has not either: more is not kept. */
const MAX_BUFFERED = 4_096;

/**
 * An answer of server-sent events. For a client that does not read, only the last event is kept: it makes the earlier ones
 * superfluous.
 */
export class EventStream extends Readable {
  #isFull = false;
  #waiting: string | undefined;
  #isOver = false;

  constructor() {
    super({ highWaterMark: MAX_BUFFERED });
  }

  send(event: string, data: object): void {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    if (this.#isFull) this.#waiting = text;
    else this.#write(text);
  }

  /** Shows the client, and proxies on the way, that the connection is alive. */
  comment(text: string): void {
    if (!this.#isFull) this.#write(`: ${text}\n\n`);
  }

  /** Ends the answer after an event. */
  finish(event: string, data: object): void {
    this.#isFull = false;
    this.send(event, data);
    this.#isOver = true;
    this.push(null);
  }

  override _read(): void {
    this.#isFull = false;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) this.#write(waiting);
  }

  #write(text: string): void {
    if (!this.#isOver && !this.destroyed) this.#isFull = !this.push(text);
  }
}
