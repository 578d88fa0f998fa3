/** Reads samples from the body of a response without copying them twice. */
import { AcqClientError } from './errors.js';

export interface Progress {
  /** Bytes received. */
  received: number;
  /** Bytes in total. */
  total: number;
}

export interface BodyOptions {
  /** Name of the channel, for messages. */
  name: string;
  /** Expected bytes of the body. */
  total: number;
  /** The part of the body to return; all of it when omitted. */
  window?: { start: number; length: number };
  /** Called at most about 100 times, the last time with `received === total`. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with the buffer before anything has been received; it fills from its start. */
  onStart?: ((buffer: ArrayBuffer) => void) | undefined;
  /** Also stops a response that has arrived but has not been read. */
  signal?: AbortSignal | undefined;
}

/** Larger bodies are read part by part. */
const MAX_WHOLE_BYTES = 16 * 2 ** 20;

/**
 * Reads the samples of a response.
 * @throws AcqClientError `wrong_length` for a body that is not `total` bytes, `plane_too_large` without memory
 */
export async function readSamples(response: Response, options: BodyOptions): Promise<Float32Array<ArrayBuffer>> {
  return toSamples(await readBytes(response, options));
}

/**
 * Reads the bytes of a response.
 * @throws AcqClientError like `readSamples`
 */
export async function readBytes(response: Response, options: BodyOptions): Promise<ArrayBuffer> {
  const { total, name, onProgress, signal } = options;
  const { start, length } = options.window ?? { start: 0, length: total };
  if (typeof response.body?.getReader !== 'function' || isTakenWhole(response, options)) {
    return readWhole(response, options);
  }
  const bytes = allocate(length, name);
  options.onStart?.(bytes.buffer);
  const reader = response.body.getReader();
  const step = Math.max(1, Math.floor(total / 100));
  let received = 0;
  let reported = 0;
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
    if (received - reported >= step && received < total) {
      reported = received;
      onProgress?.({ received, total });
    }
  }
  if (received !== total) throw wrongLength(name, received, total);
  onProgress?.({ received, total });
  signal?.throwIfAborted();
  return bytes.buffer;
}

/**
 * True for a small body of the right length that nobody watches arrive: the platform puts it together faster, but takes
 * twice its memory for that.
 */
function isTakenWhole({ headers }: Response, { total, window, onProgress, onStart }: BodyOptions): boolean {
  const isWatched = onProgress !== undefined || onStart !== undefined;
  return !window && !isWatched && total <= MAX_WHOLE_BYTES && headers.get('content-length') === String(total);
}

/** Reads the whole body at once. */
async function readWhole(response: Response, { name, total, window, onProgress, signal }: BodyOptions) {
  const buffer = await response.arrayBuffer();
  signal?.throwIfAborted();
  if (buffer.byteLength !== total) throw wrongLength(name, buffer.byteLength, total);
  onProgress?.({ received: total, total });
  return window ? buffer.slice(window.start, window.start + window.length) : buffer;
}

/** Copies the bytes of `part` that are inside `target`. The first byte of `part` belongs at `offset`. */
function copyPart(part: Uint8Array, offset: number, target: Uint8Array): void {
  const from = Math.max(0, -offset);
  const to = Math.min(part.length, target.length - offset);
  if (from < to) target.set(part.subarray(from, to), offset + from);
}

function allocate(length: number, name: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw new AcqClientError('plane_too_large', `${name}: this program has not enough memory for ${length} bytes.`, {
      hint: 'Close other acquisitions, or read the plane in parts.',
      cause,
    });
  }
}

function wrongLength(name: string, actual: number | string, expected: number): AcqClientError {
  return new AcqClientError('wrong_length', `${name}: received ${actual} bytes; expected ${expected}.`);
}

/** Array of each type, by its name in `X-Array-Dtype`. */
export const NATIVE_ARRAYS = {
  '|u1': Uint8Array,
  '|i1': Int8Array,
  '<u2': Uint16Array,
  '<i2': Int16Array,
  '<u4': Uint32Array,
  '<i4': Int32Array,
  '<u8': BigUint64Array,
  '<i8': BigInt64Array,
  '<f4': Float32Array,
  '<f8': Float64Array,
} as const;
export type NativeDtype = keyof typeof NATIVE_ARRAYS;
export type NativeSamples =
  | Uint8Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | BigUint64Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

export const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Returns the samples, which are sent in little-endian order, in the byte order of this machine. */
export function toSamples(buffer: ArrayBuffer, littleEndian = LITTLE_ENDIAN): Float32Array<ArrayBuffer> {
  if (!littleEndian) swapBytes(buffer, 4);
  return new Float32Array(buffer);
}

/** Returns samples of any type, see `toSamples`. */
export function toNativeSamples(buffer: ArrayBuffer, dtype: NativeDtype, littleEndian = LITTLE_ENDIAN): NativeSamples {
  const samples = new NATIVE_ARRAYS[dtype](buffer);
  if (!littleEndian) swapBytes(buffer, samples.BYTES_PER_ELEMENT);
  return samples;
}

/** Reverses the bytes of each sample. */
function swapBytes(buffer: ArrayBuffer, size: number): void {
  for (let at = 0; at < buffer.byteLength; at += size) new Uint8Array(buffer, at, size).reverse();
}
