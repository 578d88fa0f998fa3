import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { AcqError } from '../errors.js';
import { plural } from '../wording.js';
import type { ConnectionLimits } from './connection-limits.js';
import { rawAnswer } from './raw-answer.js';
import { gateInput, type RequestInput } from './request-input.js';

/** The body of a request in arrival. */
interface Arrival {
  timer: NodeJS.Timeout;
  /** Takes any time while bytes come: a file. */
  isLong: boolean;
  /** Bytes of the connection when they were last looked at. */
  bytes: number;
}

/** Milliseconds for a client to read its last answer before the connection is destroyed. */
const LINGER_MS = 1_000;

interface Connection {
  input: RequestInput;
  /** Answers in progress, in the order of their requests. */
  answers: Set<ServerResponse<IncomingMessage>>;
  /** Sent after the answers in progress; then the connection closes. */
  last: string | undefined;
  /** Bodies that may still be on their way. */
  arrivals: Set<Arrival>;
}

/**
 * Limits the connections of a server and the requests of each that are answered at the same time, and closes them.
 * Node's own `close` truncates an answer whose last bytes wait for a slow client, and waits for the idle connections
 * that browsers keep in reserve.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<Socket, Connection>();
  readonly #arriving = new WeakMap<IncomingMessage, Arrival>();
  #drained: (() => void) | undefined;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  follow(server: Server): void {
    const { maxConnections } = this.#limits;
    // Connections beyond the limit get an answer that says so; a few of them at the same time are enough.
    server.maxConnections = maxConnections + Math.ceil(maxConnections / 8);
    server.on('connection', (socket) => this.#accept(socket));
    server.on('request', (request, response) => {
      this.#begin(request.socket, response);
      this.#limitArrival(request, server);
      response.once('close', () => {
        if (request.complete) this.#endArrival(request);
      });
    });
  }

  /** Lets the body of a request take any time, as long as bytes arrive: it is a file. */
  allowLongBody(request: IncomingMessage): void {
    const arrival = this.#arriving.get(request);
    if (arrival) arrival.isLong = true;
  }

  /** Number of answers in progress. */
  get answering(): number {
    return [...this.#open.values()].reduce((sum, { answers }) => sum + answers.size, 0);
  }

  /**
   * Closes a connection after the answers in progress and then `answer`. For a request that has not arrived completely,
   * it is the only answer.
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
   * Stops listening and resolves when all answers in progress are sent and no connection is left. A client that stops
   * reading is disconnected, and after `drainMs` all are.
   */
  drain(server: Server): Promise<void> {
    const { stallMs, drainMs } = this.#limits;
    // The `close` of the HTTP server would destroy connections; see above.
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
      arrivals: new Set(),
    };
    const isFull = this.#open.size >= this.#limits.maxConnections;
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      for (const { timer } of connection.arrivals) clearTimeout(timer);
      for (const answer of connection.answers) endQueued(answer);
      if (this.#open.size === 0) this.#drained?.();
    });
    if (isFull) this.end(socket, rawAnswer(tooMany(this.#limits.maxConnections)).text);
  }

  #endArrival(request: IncomingMessage): void {
    const arrival = this.#arriving.get(request);
    if (!arrival) return;
    clearTimeout(arrival.timer);
    this.#open.get(request.socket)?.arrivals.delete(arrival);
  }

  /** Node's own limit knows no exception for files. */
  #limitArrival(request: IncomingMessage, server: Server): void {
    const { socket } = request;
    const check = () => {
      const { bytesRead } = socket;
      if (request.complete || socket.destroyed) {
        this.#endArrival(request);
        return;
      }
      if (arrival.isLong && bytesRead > arrival.bytes) {
        arrival.bytes = bytesRead;
        arrival.timer = setTimeout(check, this.#limits.requestMs);
      } else server.emit('clientError', new LateRequest(), socket);
    };
    const timer = setTimeout(check, this.#limits.requestMs);
    const arrival: Arrival = { timer, isLong: false, bytes: socket.bytesRead };
    this.#arriving.set(request, arrival);
    this.#open.get(socket)?.arrivals.add(arrival);
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

  /**
   * Returns how many more requests may be parsed. A stopping server still reads the rest of requests that have begun.
   */
  #room({ answers }: Connection): number {
    if (this.#drained && [...answers].every(({ req }) => req.complete)) return 0;
    return this.#limits.maxAnswers - answers.size;
  }

  /** Continues after an answer was sent or the last one was set. */
  #next(socket: Socket, connection: Connection): void {
    const { input, answers, last } = connection;
    if (last !== undefined) {
      if ([...answers].some(({ req }) => req.complete)) return;
      // The client would take a second answer for the rest of the one being sent.
      if ([...answers].some(({ headersSent }) => headersSent)) socket.destroy();
      else hangUp(socket, connection, last);
    } else if (this.#drained && answers.size === 0) hangUp(socket, connection);
    else input.resume();
  }
}

/**
 * Ends an answer that waits for others of its connection, which is gone. Node reports the end of the one being sent and of the
 * next, and forgets the others: what they hold would stay in memory.
 */
function endQueued(answer: ServerResponse<IncomingMessage>): void {
  if (answer.socket || answer.closed) return;
  answer.destroy();
  answer.emit('close');
}

/** The error of Node for a request that does not arrive in time. */
class LateRequest extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT';
}

function tooMany(maxConnections: number): AcqError {
  const message = `The server has reached its limit of ${plural(maxConnections, 'connection')}. Close some, or try again in a few seconds.`;
  return new AcqError('capacity_exceeded', message);
}

/**
 * Sends `answer`, if any, and closes the connection. Reads and discards for a moment what the client still sends:
 * closing a connection with unread bytes resets it, and the client loses the end of its answer.
 */
function hangUp(socket: Socket, { input }: Connection, answer?: string): void {
  if (!socket.writable) return;
  input.discard();
  socket.end(answer ?? '');
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}
