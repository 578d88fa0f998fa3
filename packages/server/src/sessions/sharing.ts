/** Below this size, a second worker does not pay for reopening the file: a plane that is compressed. */
const COMPRESSED_PLANE_BYTES = 4 * 2 ** 20;
/** Bytes of float32 that a worker makes from uncompressed samples in a millisecond, on a fast machine. */
const PLAIN_BYTES_PER_MS = 8 * 2 ** 20;
/** The same in memory that is new to the process: the system clears each page when it is first written to. */
const FRESH_BYTES_PER_MS = 2 * 2 ** 20;

export interface SharingFacts {
  isCompressed: boolean;
  /** Planes to decode, and the bytes of each as float32. */
  planes: number;
  planeBytes: number;
  /** Bytes of memory kept from earlier planes. */
  keptBytes: number;
  /** Milliseconds that opening the file took. */
  openMs: number;
  /** No other open is in progress. */
  isAlone: boolean;
}

/**
 * Returns how many further workers, each of which opens the file too, make an open faster. Compressed planes take all that
 * are idle. Uncompressed ones are as fast as memory: they take one, if the file opens quickly beside the decoding that it
 * saves, and if nobody else opens a file: the next one would wait for the worker, and the main thread for a core.
 */
export function countUsefulHelpers(facts: SharingFacts): number {
  const { isCompressed, planes, planeBytes, keptBytes, openMs, isAlone } = facts;
  if (isCompressed) return planeBytes >= COMPRESSED_PLANE_BYTES ? Number.POSITIVE_INFINITY : 0;
  if (!isAlone) return 0;
  const bytes = planes * planeBytes;
  const fresh = Math.max(0, bytes - keptBytes);
  const decodeMs = (bytes - fresh) / PLAIN_BYTES_PER_MS + fresh / FRESH_BYTES_PER_MS;
  return decodeMs > 2 * openMs ? 1 : 0;
}
