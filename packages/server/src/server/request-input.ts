import type { Socket } from 'node:net';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * What a connection receives, on its way to the HTTP parser. Limits how many requests of a socket reach the parser at once. The
 * parser alone would start every request in a chunk of 64 KiB, about 3,000 short ones. Passes on bytes up to the end of the headers
 * of as many requests as `room` allows; the rest waits here, and the socket is not read in the meantime. An empty line ends headers,
 * so empty lines are counted; those in bodies count too, which only makes the pieces smaller.
 *
 * Create it after the HTTP server has taken over the socket.
 */
export class RequestInput {
  readonly #socket: Socket;
  readonly #room: () => number;
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

  constructor(socket: Socket, room: () => number) {
    this.#socket = socket;
    this.#room = room;
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

  /** Passes on what was held back, as far as there is room now. Other connections get their turn first. */
  resume(): void {
    if (this.#held.length === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    // Short answers are sent in the same turn of the event loop in which their requests are parsed.
    setImmediate(() => {
      this.#isScheduled = false;
      this.#pass();
    });
  }

  /** Discards everything that arrives from now on. */
  discard(): void {
    this.#isDiscarding = true;
    const hasEnded = this.#held.includes(null);
    this.#held.length = 0;
    if (hasEnded) this.#push(null);
    this.#socket.resume();
    this.#pass();
  }

  #receive(chunk: Buffer | null): boolean {
    if (this.#isDiscarding) return chunk === null ? this.#push(null) : true;
    this.#held.push(chunk);
    this.#pass();
    return this.#held.length === 0 && this.#socket.readableLength < this.#socket.readableHighWaterMark;
  }

  #pass(): void {
    const socket = this.#socket;
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
