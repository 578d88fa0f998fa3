import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import type { FastifyReply } from 'fastify';
import { Connection } from './connection.js';
import { defaultConnectionLimits } from './connection-limits.js';
import type { AppDependencies } from './dependencies.js';
import { isWarmUp } from './policy.js';
import { rawAnswer } from './raw-answer.js';
import { whenClosed } from './request-life.js';
import { dropStalled, lookAtClients } from './slow-clients.js';
import type { App } from './types.js';

/** What the error of Node has for a request that does not arrive in time. */
const LATE = { code: 'ERR_HTTP_REQUEST_TIMEOUT' };

/**
 * Limits the connections of a server and the requests of each that are answered at the same time, and closes them. A client
 * that does not take its answer is disconnected.
 * Node's own `close` truncates an answer whose last bytes wait for a slow client, and waits for the idle connections
 * that browsers keep in reserve.
 */
export class Connections {
  readonly limits;
  /** Of all listeners of the server. */
  readonly #maxSockets: number;
  readonly #open = new Map<Socket, Connection>();
  #drained: (() => void) | undefined;
  #deps: Pick<AppDependencies, 'sessions' | 'metrics'> | undefined;
  #looking: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(limits = defaultConnectionLimits()) {
    this.limits = limits;
    // Connections beyond the limit get an answer that says so; a few of them at the same time are enough.
    this.#maxSockets = limits.maxConnections + Math.ceil(limits.maxConnections / 8);
  }

  /** @param deps what an answer may be about, and who learns of clients */
  follow({ server }: Pick<App, 'server'>, deps?: Pick<AppDependencies, 'sessions' | 'metrics'>): void {
    this.#deps = deps;
    server.maxConnections = this.#maxSockets;
    server.on('connection', (socket) => {
      const onLate = () => server.emit('clientError', Object.assign(new Error('The request is late.'), LATE), socket);
      this.#accept(socket, onLate);
    });
    server.on('request', (raw, response) => {
      const { socket } = raw;
      if (!isWarmUp({ raw })) this.#noteClient(response);
      const connection = this.#open.get(socket);
      connection?.begin(response);
      if (!connection || this.#looking) return;
      this.#lookedAt = performance.now();
      this.#looking = setInterval(() => this.#look(), this.limits.lookMs).unref();
    });
  }

  #noteClient(response: ServerResponse): void {
    this.#askedAt = performance.now();
    this.#deps?.sessions.noteClient();
    whenClosed(response, () => this.#deps?.sessions.noteClient());
  }

  /** Tells whose answer it is. */
  identify(reply: FastifyReply): void {
    this.#open.get(reply.request.raw.socket)?.answers.set(reply.raw, reply);
  }

  /** Disconnects a client that does not take its answer, to free memory; see `dropStalled`. */
  dropStalled(owner?: string): Promise<boolean> {
    return dropStalled(this.#open.values(), owner, this.limits, this.#deps);
  }

  /** Lets the body of a request take any time, as long as bytes arrive: it is a file. */
  allowLongBody({ request, raw }: FastifyReply): void {
    this.#open.get(request.raw.socket)?.allowLongBody(raw);
  }

  /** When a client asked last for something, as `performance.now()` tells it. */
  get askedAt(): number {
    return this.#askedAt;
  }

  /** Number of answers in progress. */
  get answering(): number {
    return [...this.#open.values()].reduce((sum, { answers }) => sum + answers.size, 0);
  }

  /** Closes a connection after the answers in progress and then `answer`; see `Connection.end`. */
  end(socket: Socket, answer: string): void {
    const connection = this.#open.get(socket);
    if (connection) connection.end(answer);
    else socket.destroy();
  }

  /**
   * Accepts no more connections, and resolves when all answers in progress are sent and no connection is left. A client that
   * stops reading is disconnected, and after `drainMs` all are.
   */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      const deadline = setTimeout(() => {
        for (const socket of this.#open.keys()) socket.destroy();
      }, this.limits.drainMs);
      this.#drained = () => {
        clearTimeout(deadline);
        resolve();
      };
      for (const connection of this.#open.values()) connection.stop();
      if (this.#open.size === 0) this.#drained();
    });
  }

  #accept(socket: Socket, onLate: () => void): void {
    if (this.#drained || this.#open.size >= this.#maxSockets) {
      socket.destroy();
      return;
    }
    const { maxConnections } = this.limits;
    const isFull = this.#open.size >= maxConnections;
    const connection = new Connection(socket, this.limits, onLate);
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      connection.clear();
      if (this.#open.size === 0) this.#drained?.();
    });
    if (isFull) connection.end(rawAnswer(tooMany(maxConnections)).text);
  }

  /** Looks at what clients take of their answers, while there are any. */
  #look(): void {
    const now = performance.now();
    // After a pause of this process, clients get the time to take what is there.
    const passedMs = Math.min(now - this.#lookedAt, 2 * this.limits.lookMs);
    this.#lookedAt = now;
    if (lookAtClients(this.#open.values(), passedMs, this.limits, this.#deps)) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

function tooMany(maxConnections: number): AcqError {
  const message = `The server has reached its limit of ${plural(maxConnections, 'connection')}. Close some, or try again in a few seconds.`;
  return new AcqError('capacity_exceeded', message);
}
