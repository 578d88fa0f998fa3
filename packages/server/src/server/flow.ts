/** What a client takes of the answer that it is being sent. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionLimits } from './connection-limits.js';

/** Follows the answer that a connection is being sent, one look after the other. */
export class Flow {
  /** Milliseconds for which the client has taken nothing that was there to take. */
  idleMs = 0;
  /** Bytes of the connection that the system has taken. */
  taken = 0;
  private answer: ServerResponse | undefined;
  private sentMs = 0;
  private from = 0;

  /**
   * Looks at the connection.
   * @param answer the one being sent, if any
   * @param passedMs since the last look: time in which this process was not able to send must not count
   */
  look(socket: Socket, answer: ServerResponse | undefined, passedMs: number): void {
    const taken = bytesTaken(socket);
    const current = answer?.headersSent ? answer : undefined;
    const hasMoved = current !== this.answer || taken > this.taken || socket.writableLength === 0;
    this.idleMs = hasMoved ? 0 : this.idleMs + passedMs;
    this.sentMs += passedMs;
    this.taken = taken;
    if (current === this.answer) return;
    this.answer = current;
    this.sentMs = 0;
    this.from = taken;
  }

  /** True when the client has taken nothing for `ms` by the last look, nor since then. */
  isIdleFor(ms: number, socket: Socket): boolean {
    return this.idleMs >= ms && bytesTaken(socket) === this.taken;
  }

  /**
   * True when the client takes the answer so slowly that it would take longer than the limits allow.
   * @param total bytes of the answer; NaN when they are not known: then it has at least those that were taken
   */
  isTooSlow(total: number, { answerMs, settleMs, minBytesPerSecond }: ConnectionLimits): boolean {
    if (total === 0 || !this.answer || this.sentMs < settleMs) return false;
    const taken = this.taken - this.from;
    const [bytes, share] = Number.isNaN(total) ? [taken, 1] : [total, taken / total];
    const allowedMs = Math.max(answerMs, (bytes / minBytesPerSecond) * 1000);
    return this.sentMs / share > allowedMs;
  }
}

/**
 * Returns the bytes of a connection that the system has taken. The counters of a socket change when a write is complete,
 * which for a large plane is after its last byte; those of its handle are always up to date.
 */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    _handle?: Partial<Record<'bytesWritten' | 'writeQueueSize', number>>;
  };
  const { bytesWritten = socket.bytesWritten, writeQueueSize = socket.writableLength } = handle ?? {};
  return bytesWritten - writeQueueSize;
}
