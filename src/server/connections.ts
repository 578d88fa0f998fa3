import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { AcqError } from '../errors.js';
import { plural } from '../wording.js';
import type { ConnectionLimits } from './connection-limits.js';
import { rawAnswer } from './raw-answer.js';
import { gateInput, type RequestInput } from './request-input.js';

/** Milliseconds in which a client may read its last answer before the connection is destroyed. */
const LINGER_MS = 1_000;

interface Connection {
  input: RequestInput;
  /** Requests under way, in the order in which they came. */
  answers: Set<ServerResponse<IncomingMessage>>;
  /** Written when the answers before it are sent; the connection ends with it. */
  last: string | undefined;
}

/**
 * The connections of a server: how many there are, how many requests of each are answered at a time, and how they end.
 * Node's own `close` cuts off an answer whose last bytes wait for a slow client, and waits for connections that never
 * asked anything, as browsers keep in reserve.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<Socket, Connection>();
  #drained: (() => void) | undefined;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  follow(server: Server): void {
    const { maxConnections } = this.#limits;
    // Those beyond the limit are told so, but only some of them at a time.
    server.maxConnections = maxConnections + Math.ceil(maxConnections / 8);
    server.on('connection', (socket) => this.#accept(socket));
    server.on('request', ({ socket }, response) => this.#begin(socket, response));
  }

  /** Requests under way. */
  get answering(): number {
    return [...this.#open.values()].reduce((sum, { answers }) => sum + answers.size, 0);
  }

  /**
   * Ends a connection with `answer`, sent when those that are still under way are. A request that has not arrived as a
   * whole never gets another answer than this one.
   */
  end(socket: Socket, answer: string): void {
    const connection = this.#open.get(socket);
    if (!connection || !socket.writable) {
      socket.destroy();
      return;
    }
    connection.input.discard();
    connection.last ??= answer;
    this.#next(socket, connection);
  }

  /**
   * Stops listening, and resolves when every answer that is under way is sent; then no connection is left. A client
   * that does not read is given up, and so are all after some time.
   */
  drain(server: Server): Promise<void> {
    const { stallMs, drainMs } = this.#limits;
    // Not the `close` of the HTTP server, which destroys connections; see above.
    TcpServer.prototype.close.call(server);
    return new Promise((resolve) => {
      const deadline = setTimeout(() => {
        for (const socket of this.#open.keys()) socket.destroy();
      }, drainMs);
      this.#drained = () => {
        clearTimeout(deadline);
        resolve();
      };
      for (const [socket, { answers }] of this.#open) {
        if (answers.size === 0) socket.destroy();
        else socket.setTimeout(stallMs, () => socket.destroy());
      }
      if (this.#open.size === 0) this.#drained();
    });
  }

  #accept(socket: Socket): void {
    if (this.#drained) {
      socket.destroy();
      return;
    }
    const connection: Connection = {
      input: gateInput(socket, () => this.#room(connection)),
      answers: new Set(),
      last: undefined,
    };
    const full = this.#open.size >= this.#limits.maxConnections;
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size === 0) this.#drained?.();
    });
    if (full) this.end(socket, rawAnswer(tooMany(this.#limits.maxConnections)).text);
  }

  #begin(socket: Socket, response: ServerResponse<IncomingMessage>): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.answers.add(response);
    response.once('close', () => {
      connection.answers.delete(response);
      this.#next(socket, connection);
    });
  }

  /** How many more requests may be parsed. A stopping server takes the rest of those that it has begun to read. */
  #room({ answers }: Connection): number {
    if (this.#drained && [...answers].every(({ req }) => req.complete)) return 0;
    return this.#limits.maxAnswers - answers.size;
  }

  /** An answer was sent, or the last one was given. */
  #next(socket: Socket, connection: Connection): void {
    const { input, answers, last } = connection;
    if (last !== undefined) {
      if ([...answers].some(({ req }) => req.complete)) return;
      // The answer to a part of a request is being sent: another one would be taken for the rest of it.
      if ([...answers].some(({ headersSent }) => headersSent)) socket.destroy();
      else hangUp(socket, connection, last);
    } else if (this.#drained && answers.size === 0) hangUp(socket, connection);
    else input.resume();
  }
}

function tooMany(maxConnections: number): AcqError {
  const message = `The server has ${plural(maxConnections, 'connection')} open, the limit. Close some, or try again in a few seconds.`;
  return new AcqError('capacity_exceeded', message);
}

/**
 * Sends `answer`, if any, and closes. What the client still sends is read and thrown away for a moment: closing a
 * connection with unread bytes resets it, and the client loses the end of its answer.
 */
function hangUp(socket: Socket, { input }: Connection, answer?: string): void {
  if (!socket.writable) return;
  input.discard();
  socket.end(answer ?? '');
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
