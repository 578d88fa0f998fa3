/** Float32 samples out of the body of an answer, without a second copy of them. */
import { AcqClientError } from './errors.js';

export interface Progress {
  /** Bytes so far. */
  received: number;
  /** Bytes in all. */
  total: number;
}

export interface BodyOptions {
  /** What is read, for messages. */
  name: string;
  /** Bytes of the body. */
  total: number;
  /** The part of the body that is wanted; all of it when omitted. */
  window?: { start: number; length: number };
  /** Called at most about a hundred times; the last time with `received === total`. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Also stops what has arrived already and was not read yet. */
  signal?: AbortSignal | undefined;
}

/** @throws AcqClientError `wrong_length` when the body is not `total` bytes, `plane_too_large` when there is no memory */
export async function readSamples(response: Response, options: BodyOptions): Promise<Float32Array<ArrayBuffer>> {
  const { total, name, onProgress, signal } = options;
  const { start, length } = options.window ?? { start: 0, length: total };
  if (typeof response.body?.getReader !== 'function') return readWhole(response, options);
  const bytes = allocate(length, name);
  const reader = response.body.getReader();
  const step = Math.max(1, Math.floor(total / 100));
  let received = 0;
  let told = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (signal?.aborted || received + value.length > total) {
      void reader.cancel().catch(() => {});
      signal?.throwIfAborted();
      throw wrongLength(name, `more than ${total}`, total);
    }
    copyPart(value, received - start, bytes);
    received += value.length;
    if (received - told >= step && received < total) {
      told = received;
      onProgress?.({ received, total });
    }
  }
  if (received !== total) throw wrongLength(name, received, total);
  onProgress?.({ received, total });
  signal?.throwIfAborted();
  return toSamples(bytes.buffer);
}

/** Where bodies cannot be streamed. */
async function readWhole(response: Response, { name, total, window, onProgress }: BodyOptions) {
  const buffer = await response.arrayBuffer();
  if (buffer.byteLength !== total) throw wrongLength(name, buffer.byteLength, total);
  onProgress?.({ received: total, total });
  return toSamples(window ? buffer.slice(window.start, window.start + window.length) : buffer);
}

/** Copies what of `part`, whose first byte belongs at `offset`, lies inside `target`. */
function copyPart(part: Uint8Array, offset: number, target: Uint8Array): void {
  const from = Math.max(0, -offset);
  const to = Math.min(part.length, target.length - offset);
  if (from < to) target.set(part.subarray(from, to), offset + from);
}

function allocate(length: number, name: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw new AcqClientError('plane_too_large', `${name}: no room for ${length} bytes in the memory of this program.`, {
      hint: 'Close other files, or read it in parts.',
      cause,
    });
  }
}

function wrongLength(name: string, came: number | string, announced: number): AcqClientError {
  return new AcqClientError('wrong_length', `${name}: ${came} bytes came, ${announced} were announced.`);
}

const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The samples arrive little-endian, whatever this machine is. */
export function toSamples(buffer: ArrayBuffer, littleEndian = LITTLE_ENDIAN): Float32Array<ArrayBuffer> {
  if (!littleEndian) {
    const words = new DataView(buffer);
    for (let at = 0; at < buffer.byteLength; at += 4) words.setUint32(at, words.getUint32(at, true), false);
  }
  return new Float32Array(buffer);
}
