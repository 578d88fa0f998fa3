import type { Socket } from 'node:net';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** What a connection receives, on its way to the HTTP parser. */
export interface RequestInput {
  /** Passes on what was held back, as far as there is room now. Other connections get their turn first. */
  resume(): void;
  /** Discards everything that arrives from now on. */
  discard(): void;
}

/**
 * Limits how many requests of a socket reach the HTTP parser at once. The parser alone would start every request in a
 * chunk of 64 KiB, about 3,000 short ones. Passes on bytes up to the end of the headers of as many requests as `room`
 * allows; the rest waits here, and the socket is not read in the meantime. An empty line ends headers, so empty lines
 * are counted; those in bodies count too, which only makes the pieces smaller.
 *
 * Call it after the HTTP server has taken over the socket.
 */
export function gateInput(socket: Socket, room: () => number): RequestInput {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  /** Received but not passed on; `null` is the end of the stream. */
  const held: (Buffer | null)[] = [];
  const emptyLines = new EmptyLines();
  let isReadPending = false;
  let isPassing = false;
  let isDiscarding = false;
  let isScheduled = false;

  const pass = () => {
    if (isPassing) return;
    isPassing = true;
    // Pieces in the buffer of the stream would all be parsed at once when it flows again.
    while (held.length > 0 && socket.readableFlowing === true && socket.readableLength === 0) {
      const piece = nextPiece(held, room(), emptyLines);
      if (piece === undefined) break;
      push(piece);
    }
    isPassing = false;
    if (held.length > 0 || !isReadPending) return;
    isReadPending = false;
    read(socket.readableHighWaterMark);
  };
  socket.push = (chunk: Buffer | null) => {
    if (isDiscarding) return chunk === null ? push(null) : true;
    held.push(chunk);
    pass();
    return held.length === 0 && socket.readableLength < socket.readableHighWaterMark;
  };
  socket._read = (size) => {
    if (held.length > 0) isReadPending = true;
    else read(size);
  };
  socket.on('resume', pass);
  // With a listener, the HTTP server reads through the stream instead of directly from the system.
  socket.on('data', pass);
  return {
    resume() {
      if (held.length === 0 || isScheduled) return;
      isScheduled = true;
      // Short answers are sent in the same turn of the event loop in which their requests are parsed.
      setImmediate(() => {
        isScheduled = false;
        pass();
      });
    },
    discard() {
      isDiscarding = true;
      const hasEnded = held.includes(null);
      held.length = 0;
      if (hasEnded) push(null);
      socket.resume();
      pass();
    },
  };
}

/**
 * Removes and returns the bytes of up to `room` requests from the front of `held`; `undefined` when there is no room.
 */
function nextPiece(held: (Buffer | null)[], room: number, emptyLines: EmptyLines): Buffer | null | undefined {
  const [first] = held;
  if (first === undefined || (first !== null && room <= 0)) return undefined;
  const end = first === null ? 0 : emptyLines.skip(first, room);
  if (first === null || end === first.length) {
    held.shift();
    return first;
  }
  held[0] = first.subarray(end);
  return first.subarray(0, end);
}

/** Finds empty lines in bytes that arrive in pieces. */
class EmptyLines {
  /** True when only carriage returns followed the last line feed. */
  #atLineStart = true;

  /** Returns the index after the line feed of the `count`th empty line, or the length when there are fewer. */
  skip(bytes: Uint8Array, count: number): number {
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
