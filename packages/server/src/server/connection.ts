/** A connection: what it receives, on its way to the HTTP parser, and the answers sent on it. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { Flow } from './flow.js';
import { whenClosed } from './request-life.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** Milliseconds for a client to read its last answer before the connection is destroyed. */
const LINGER_MS = 1_000;

/**
 * Limits how many requests of a socket are answered at the same time. The parser alone would start every request in a chunk of
 * 64 KiB, about 3,000 short ones. Passes on bytes up to the end of the headers of as many requests as there is room for; the rest
 * waits here, and the socket is not read in the meantime. An empty line ends headers, so empty lines are counted; those in bodies
 * count too, which only makes the pieces smaller.
 *
 * Create it after the HTTP server has taken over the socket.
 */
export class Connection {
  readonly socket: Socket;
  /** What its client takes. */
  readonly flow = new Flow();
  /** Answers in progress, in the order of their requests. The reply is known once the request is routed. */
  readonly answers = new Map<ServerResponse, FastifyReply | undefined>();
  readonly #limits;
  readonly #onLate: () => void;
  /** Requests that may still be on their way, by their answers, with what ends them when they are late. */
  readonly #arrivals = new Map<ServerResponse, NodeJS.Timeout>();
  /** Those whose body takes any time while bytes come: a file. */
  readonly #long = new WeakSet<ServerResponse>();
  /** Sent after the answers in progress; then the connection closes. */
  #last: string | undefined;
  #isStopping = false;
  readonly #push: Socket['push'];
  readonly #read: Socket['_read'];
  /** Received but not passed on; `null` is the end of the stream. */
  readonly #held: (Buffer | null)[] = [];
  /** True when only carriage returns followed the last line feed. */
  #atLineStart = true;
  #isReadPending = false;
  #isPassing = false;
  #isDiscarding = false;
  #isScheduled = false;

  /** @param onLate called for a request that does not arrive in time */
  constructor(socket: Socket, limits: { maxAnswers: number; requestMs: number }, onLate: () => void) {
    this.socket = socket;
    this.#limits = limits;
    this.#onLate = onLate;
    this.#push = socket.push.bind(socket);
    this.#read = socket._read.bind(socket);
    socket.push = (chunk: Buffer | null) => this.#receive(chunk);
    socket._read = (size) => {
      if (this.#held.length > 0) this.#isReadPending = true;
      else this.#read(size);
    };
    const pass = () => this.#pass();
    socket.on('resume', pass);
    // With a listener, the HTTP server reads through the stream instead of directly from the system.
    socket.on('data', pass);
  }

  /** Takes no new requests, and is closed after the answers in progress: the server stops. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Follows an answer, from its request to its end. */
  begin(response: ServerResponse): void {
    // The framework may have been faster.
    this.answers.set(response, this.answers.get(response));
    this.#limitArrival(response);
    whenClosed(response, () => {
      this.answers.delete(response);
      if (response.req.complete) this.#endArrival(response);
      this.#goOn();
    });
  }

  /** Lets the request of an answer take any time to arrive, as long as bytes do: it is a file. */
  allowLongBody(response: ServerResponse): void {
    this.#long.add(response);
  }

  /**
   * Closes the connection after the answers in progress and then `answer`. For a request that has not arrived completely, it is the
   * only answer.
   */
  end(answer: string): void {
    if (!this.socket.writable) {
      this.socket.destroy();
      return;
    }
    this.#discard();
    this.#last ??= answer;
    this.#goOn();
  }

  /** Closes the connection after the answers in progress. The rest of requests that have begun is still read. */
  stop(): void {
    this.#isStopping = true;
    if (this.answers.size === 0) this.socket.destroy();
  }

  /** Ends the timers and the queued answers of a connection that is closed. */
  clear(): void {
    for (const timer of this.#arrivals.values()) clearTimeout(timer);
    for (const answer of this.answers.keys()) endQueued(answer);
  }

  /** Node's own limit knows no exception for files. */
  #limitArrival(response: ServerResponse): void {
    const { socket } = this;
    const { requestMs } = this.#limits;
    let bytes = socket.bytesRead;
    const check = () => {
      const { bytesRead } = socket;
      if (response.req.complete || socket.destroyed) {
        this.#endArrival(response);
        return;
      }
      if (this.#long.has(response) && bytesRead > bytes) {
        bytes = bytesRead;
        this.#arrivals.set(response, setTimeout(check, requestMs));
      } else this.#onLate();
    };
    this.#arrivals.set(response, setTimeout(check, requestMs));
  }

  #endArrival(response: ServerResponse): void {
    clearTimeout(this.#arrivals.get(response));
    this.#arrivals.delete(response);
  }

  /** Continues after an answer was sent or the last one was set. */
  #goOn(): void {
    const { answers, socket } = this;
    if (this.#last !== undefined) {
      if ([...answers.keys()].some(({ req }) => req.complete)) return;
      // The client would take a second answer for the rest of the one being sent.
      if ([...answers.keys()].some(({ headersSent }) => headersSent)) socket.destroy();
      else this.#hangUp(this.#last);
    } else if (this.#isStopping && answers.size === 0) this.#hangUp();
    else this.#resume();
  }

  /**
   * Sends `answer`, if any, and closes the connection. Reads and discards for a moment what the client still sends:
   * closing a connection with unread bytes resets it, and the client loses the end of its answer.
   */
  #hangUp(answer = ''): void {
    const { socket } = this;
    if (!socket.writable) return;
    this.#discard();
    socket.end(answer);
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  }

  /** Returns how many more requests may be parsed. */
  #room(): number {
    const { answers } = this;
    if (this.#isStopping && [...answers.keys()].every(({ req }) => req.complete)) return 0;
    return this.#limits.maxAnswers - answers.size;
  }

  /** Passes on what was held back, as far as there is room now. Other connections get their turn first. */
  #resume(): void {
    if (this.#held.length === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Short answers are sent in the same turn of the event loop in which their requests are parsed.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#pass();
    });
  }

  /** Discards everything that arrives from now on. */
  #discard(): void {
    this.#isDiscarding = true;
    const hasEnded = this.#held.includes(null);
    this.#held.length = 0;
    if (hasEnded) this.#push(null);
    this.socket.resume();
    this.#pass();
  }

  #receive(chunk: Buffer | null): boolean {
    if (this.#isDiscarding) return chunk === null ? this.#push(null) : true;
    this.#held.push(chunk);
    this.#pass();
    return this.#held.length === 0 && this.socket.readableLength < this.socket.readableHighWaterMark;
  }

  #pass(): void {
    const { socket } = this;
    if (this.#isPassing) return;
    this.#isPassing = true;
    // Pieces in the buffer of the stream would all be parsed at once when it flows again.
    while (this.#held.length > 0 && socket.readableFlowing === true && socket.readableLength === 0) {
      const piece = this.#nextPiece();
      if (piece === undefined) break;
      this.#push(piece);
    }
    this.#isPassing = false;
    if (this.#held.length > 0 || !this.#isReadPending) return;
    this.#isReadPending = false;
    this.#read(socket.readableHighWaterMark);
  }

  /** Removes and returns the bytes of as many requests as there is room for; `undefined` when there is none. */
  #nextPiece(): Buffer | null | undefined {
    const [first] = this.#held;
    const room = this.#room();
    if (first === undefined || (first !== null && room <= 0)) return undefined;
    const end = first === null ? 0 : this.#skipRequests(first, room);
    if (first === null || end === first.length) {
      this.#held.shift();
      return first;
    }
    this.#held[0] = first.subarray(end);
    return first.subarray(0, end);
  }

  /** Returns the index after the line feed of the `count`th empty line, or the length when there are fewer. */
  #skipRequests(bytes: Uint8Array, count: number): number {
    let left = count;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i];
      if (byte === LINE_FEED) {
        if (this.#atLineStart) left--;
        this.#atLineStart = true;
        if (left === 0) return i + 1;
      } else if (byte !== CARRIAGE_RETURN) {
        this.#atLineStart = false;
      }
    }
    return bytes.length;
  }
}

/**
 * Ends an answer that waits for others of its connection, which is gone. Node reports the end of the one being sent and of the
 * next, and forgets the others: what they hold would stay in memory.
 */
function endQueued(answer: ServerResponse): void {
  if (answer.socket || answer.closed) return;
  answer.destroy();
  answer.emit('close');
}
