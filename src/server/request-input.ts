import type { Socket } from 'node:net';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** What a connection receives, on its way to the HTTP parser. */
export interface RequestInput {
  /** Passes on what was held back, as far as there is room by now. Other connections get their turn before. */
  resume(): void;
  /** Throws away everything from now on: nothing the client may still say will be read. */
  discard(): void;
}

/**
 * Puts a gate between a socket and the HTTP parser, which would start every request of a chunk of 64 KiB at once, some
 * 3,000 of the shortest ones. Received bytes are passed on up to the end of the headers of as many requests as `room`
 * allows; the rest waits here, and the socket is not read meanwhile. Headers end with an empty line, so counting empty
 * lines finds them; those in bodies are counted as well, which only makes the pieces smaller.
 *
 * Must be called after the HTTP server has taken over the socket.
 */
export function gateInput(socket: Socket, room: () => number): RequestInput {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  /** Received and not passed on; `null` is the end. */
  const held: (Buffer | null)[] = [];
  const emptyLines = new EmptyLines();
  let wanted = false;
  let passing = false;
  let discarding = false;
  let scheduled = false;

  const pass = () => {
    if (passing) return;
    passing = true;
    // Pieces in the buffer of the stream would all be parsed at once as soon as it flows again.
    while (held.length > 0 && socket.readableFlowing === true && socket.readableLength === 0) {
      const piece = nextPiece(held, room(), emptyLines);
      if (piece === undefined) break;
      push(piece);
    }
    passing = false;
    if (held.length > 0 || !wanted) return;
    wanted = false;
    read(socket.readableHighWaterMark);
  };
  socket.push = (chunk: Buffer | null) => {
    if (discarding) return chunk === null ? push(null) : true;
    held.push(chunk);
    pass();
    return held.length === 0 && socket.readableLength < socket.readableHighWaterMark;
  };
  socket._read = (size) => {
    if (held.length > 0) wanted = true;
    else read(size);
  };
  socket.on('resume', pass);
  // Any listener makes the HTTP server read through the stream, where it otherwise takes the bytes from the system.
  socket.on('data', pass);
  return {
    resume() {
      if (held.length === 0 || scheduled) return;
      scheduled = true;
      // Short answers are sent within the turn of the event loop in which their requests are parsed.
      setImmediate(() => {
        scheduled = false;
        pass();
      });
    },
    discard() {
      discarding = true;
      const ended = held.includes(null);
      held.length = 0;
      if (ended) push(null);
      socket.resume();
      pass();
    },
  };
}

/** Takes what `room` more requests may have off the front of `held`. `undefined` when there is no room. */
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

/** Finds empty lines in bytes that come in pieces. */
class EmptyLines {
  /** Since the last line feed there was nothing but carriage returns. */
  #atLineStart = true;

  /** Index behind the line feed of the `count`th empty line, or the length when there are fewer. */
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
