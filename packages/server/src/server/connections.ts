import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { EVENT_STREAM } from '@acquisition-store/client/contract/events.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import type { FastifyReply } from 'fastify';
import type { DisconnectReason } from '../metrics.js';
import type { ConnectionLimits } from './connection-limits.js';
import type { AppDependencies } from './dependencies.js';
import { Flow } from './flow.js';
import { rawAnswer } from './raw-answer.js';
import { RequestInput } from './request-input.js';
import { whenClosed } from './request-life.js';

/** What the error of Node has for a request that does not arrive in time. */
const LATE = { code: 'ERR_HTTP_REQUEST_TIMEOUT' };

/** Milliseconds for a client to read its last answer before the connection is destroyed. */
const LINGER_MS = 1_000;

interface Connection {
  input: RequestInput;
  /** Answers in progress, in the order of their requests. The reply is known once the request is routed. */
  answers: Map<ServerResponse<IncomingMessage>, FastifyReply | undefined>;
  flow: Flow;
  /** Sent after the answers in progress; then the connection closes. */
  last: string | undefined;
  /** Requests that may still be on their way, with what ends them when they are late. */
  arrivals: Map<IncomingMessage, NodeJS.Timeout>;
}

/**
 * Limits the connections of a server and the requests of each that are answered at the same time, and closes them. A client
 * that does not take its answer is disconnected.
 * Node's own `close` truncates an answer whose last bytes wait for a slow client, and waits for the idle connections
 * that browsers keep in reserve.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  /** Of all listeners of the server. */
  readonly #maxSockets: number;
  readonly #open = new Map<Socket, Connection>();
  /** Requests whose body takes any time while bytes come: a file. */
  readonly #long = new WeakSet<IncomingMessage>();
  #drained: (() => void) | undefined;
  #deps: Pick<AppDependencies, 'sessions' | 'metrics'> | undefined;
  #looking: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    // Connections beyond the limit get an answer that says so; a few of them at the same time are enough.
    this.#maxSockets = limits.maxConnections + Math.ceil(limits.maxConnections / 8);
  }

  /** @param deps what an answer may be about, and who learns of clients */
  follow(server: Server, deps?: Pick<AppDependencies, 'sessions' | 'metrics'>): void {
    this.#deps = deps;
    server.maxConnections = this.#maxSockets;
    server.on('connection', (socket) => this.#accept(socket));
    // The server's own requests are not emitted.
    server.on('request', (request, response) => {
      this.#askedAt = performance.now();
      deps?.sessions.noteClient();
      this.#begin(request.socket, response);
      this.#limitArrival(request, server);
      whenClosed(response, () => {
        deps?.sessions.noteClient();
        if (request.complete) this.#endArrival(request);
      });
    });
  }

  /** Tells whose answer it is. */
  identify(reply: FastifyReply): void {
    this.#open.get(reply.request.raw.socket)?.answers.set(reply.raw, reply);
  }

  /**
   * Disconnects the client that has taken no byte of its answer for longest, if it is for some seconds, and resolves when
   * nothing is held for it any more.
   * @param owner only a client of this user, if any
   * @returns whether there was one
   */
  async dropStalled(owner?: string): Promise<boolean> {
    const all = [...this.#open].filter(([, { answers }]) => owner === undefined || isOf(owner, answers));
    const stalled = all.filter(
      ([socket, { flow }]) => socket.destroyed || flow.isIdleFor(this.#limits.stallMs, socket),
    );
    const order = stalled.sort(([, { flow: a }], [, { flow: b }]) => b.idleMs - a.idleMs || a.taken - b.taken);
    const [socket, connection] = order.find(([{ destroyed }]) => destroyed) ?? order[0] ?? [];
    if (!socket || !connection) return false;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    if (!socket.destroyed) this.#disconnect(socket, connection, 'memory');
    await closed;
    return true;
  }

  /** Lets the body of a request take any time, as long as bytes arrive: it is a file. */
  allowLongBody(request: IncomingMessage): void {
    this.#long.add(request);
  }

  /** When a client asked last for something, as `performance.now()` tells it. */
  get askedAt(): number {
    return this.#askedAt;
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
    const { drainMs } = this.#limits;
    // The `close` of the HTTP server would destroy connections; see above. In Bun, that server is no TCP server.
    if (server instanceof TcpServer) TcpServer.prototype.close.call(server);
    else (server as Server).close();
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
      }
      if (this.#open.size === 0) this.#drained();
    });
  }

  #accept(socket: Socket): void {
    if (this.#drained || this.#open.size >= this.#maxSockets) {
      socket.destroy();
      return;
    }
    const connection: Connection = {
      input: new RequestInput(socket, () => this.#room(connection)),
      answers: new Map(),
      flow: new Flow(),
      last: undefined,
      arrivals: new Map(),
    };
    const isFull = this.#open.size >= this.#limits.maxConnections;
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      for (const timer of connection.arrivals.values()) clearTimeout(timer);
      for (const answer of connection.answers.keys()) endQueued(answer);
      if (this.#open.size === 0) this.#drained?.();
    });
    if (isFull) this.end(socket, rawAnswer(tooMany(this.#limits.maxConnections)).text);
  }

  #endArrival(request: IncomingMessage): void {
    const arrivals = this.#open.get(request.socket)?.arrivals;
    clearTimeout(arrivals?.get(request));
    arrivals?.delete(request);
  }

  /** Node's own limit knows no exception for files. */
  #limitArrival(request: IncomingMessage, server: Server): void {
    const { socket } = request;
    const arrivals = this.#open.get(socket)?.arrivals;
    let bytes = socket.bytesRead;
    const check = () => {
      const { bytesRead } = socket;
      if (request.complete || socket.destroyed) {
        this.#endArrival(request);
        return;
      }
      if (this.#long.has(request) && bytesRead > bytes) {
        bytes = bytesRead;
        arrivals?.set(request, setTimeout(check, this.#limits.requestMs));
      } else server.emit('clientError', Object.assign(new Error('The request is late.'), LATE), socket);
    };
    arrivals?.set(request, setTimeout(check, this.#limits.requestMs));
  }

  #begin(socket: Socket, response: ServerResponse<IncomingMessage>): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    // The framework may have been faster.
    connection.answers.set(response, connection.answers.get(response));
    whenClosed(response, () => {
      connection.answers.delete(response);
      this.#next(socket, connection);
    });
    if (this.#looking) return;
    this.#lookedAt = performance.now();
    this.#looking = setInterval(() => this.#look(), this.#limits.lookMs).unref();
  }

  /**
   * Returns how many more requests may be parsed. A stopping server still reads the rest of requests that have begun.
   */
  #room({ answers }: Connection): number {
    if (this.#drained && [...answers.keys()].every(({ req }) => req.complete)) return 0;
    return this.#limits.maxAnswers - answers.size;
  }

  /** Looks at what clients take of their answers, while there are any. */
  #look(): void {
    const now = performance.now();
    // After a pause of this process, clients get the time to take what is there.
    const passedMs = Math.min(now - this.#lookedAt, 2 * this.#limits.lookMs);
    this.#lookedAt = now;
    let isBusy = false;
    for (const [socket, connection] of this.#open) {
      const [answer] = connection.answers.keys();
      isBusy ||= answer !== undefined;
      connection.flow.look(socket, answer, passedMs);
      const reason = answer && this.#reasonToDisconnect(socket, connection);
      if (reason) this.#disconnect(socket, connection, reason);
    }
    if (isBusy) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #reasonToDisconnect(socket: Socket, { flow, answers }: Connection): DisconnectReason | undefined {
    const { maxStallMs, stallMs } = this.#limits;
    if (flow.isIdleFor(maxStallMs, socket)) return 'stalled';
    const [reply] = answers.values();
    const isEndless = reply?.getHeader('content-type') === EVENT_STREAM;
    if (!isEndless && flow.isTooSlow(Number(reply?.getHeader('content-length')), this.#limits)) return 'slow';
    if (!flow.isIdleFor(stallMs, socket)) return undefined;
    if (this.#drained) return 'stopping';
    return this.#hasEnded([...answers.values()]) ? 'session_ended' : undefined;
  }

  #hasEnded(replies: (FastifyReply | undefined)[]): boolean {
    const ids = replies.map((reply) => (reply?.request.params as { sessionId?: unknown } | undefined)?.sessionId);
    return ids.some((id) => typeof id === 'string' && this.#deps?.sessions.isOpen(id) === false);
  }

  #disconnect(socket: Socket, { answers, flow }: Connection, reason: DisconnectReason): void {
    const [reply] = answers.values();
    const { taken, idleMs } = flow;
    reply?.request.log.warn({ reason, bytes: taken, idleSeconds: Math.round(idleMs / 1000) }, WHY[reason]);
    this.#deps?.metrics?.disconnected(reason);
    socket.destroy();
  }

  /** Continues after an answer was sent or the last one was set. */
  #next(socket: Socket, connection: Connection): void {
    const { input, answers, last } = connection;
    if (last !== undefined) {
      if ([...answers.keys()].some(({ req }) => req.complete)) return;
      // The client would take a second answer for the rest of the one being sent.
      if ([...answers.keys()].some(({ headersSent }) => headersSent)) socket.destroy();
      else hangUp(socket, connection, last);
    } else if (this.#drained && answers.size === 0) hangUp(socket, connection);
    else input.resume();
  }
}

const WHY: Record<DisconnectReason, string> = {
  stalled: 'disconnected a client that took no byte of its answer for too long (--stall-timeout)',
  slow: 'disconnected a client that took its answer so slowly that it would outlast a session (--session-ttl)',
  memory: 'disconnected a client that took no byte of its answer, because others needed the memory',
  session_ended: 'disconnected a client that took no byte of an answer whose session has ended',
  stopping: 'disconnected a client that took no byte of its answer while the server is stopping',
};

function isOf(owner: string, answers: Connection['answers']): boolean {
  return [...answers.values()].some((reply) => reply?.request.caller?.user?.owner === owner);
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
