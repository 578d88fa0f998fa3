import type { ServerResponse } from 'node:http';
import type { PageEvent } from './protocol.js';

/** A line of spaces keeps the connection from looking dead, and shows when the page has left. */
const PULSE_MS = 15_000;

/** The pages that listen for events, each with one open response of JSON lines. */
export class Pages {
  private readonly responses = new Set<ServerResponse>();
  /** What happened while no page was connected to show it. */
  private missed: PageEvent | undefined;
  private readonly onCount: (count: number) => void;

  constructor(onCount: (count: number) => void) {
    this.onCount = onCount;
  }

  get count(): number {
    return this.responses.size;
  }

  /** Keeps a response open until its page disconnects. Its head has been written. */
  add(response: ServerResponse, first: readonly PageEvent[]): void {
    this.responses.add(response);
    for (const event of first) response.write(toLine(event));
    if (this.missed) response.write(toLine(this.missed));
    this.missed = undefined;
    const pulse = setInterval(() => response.write('\n'), PULSE_MS);
    response.on('error', () => {});
    response.on('close', () => {
      clearInterval(pulse);
      this.responses.delete(response);
      this.onCount(this.count);
    });
    this.onCount(this.count);
  }

  send(event: PageEvent): void {
    for (const response of this.responses) response.write(toLine(event));
  }

  /** Shows an event on the pages, or on the next one that connects. */
  tell(event: PageEvent): void {
    if (this.count > 0) this.send(event);
    else this.missed = event;
  }

  close(): void {
    for (const response of this.responses) response.end();
  }
}

function toLine(event: PageEvent): string {
  return `${JSON.stringify(event)}\n`;
}
