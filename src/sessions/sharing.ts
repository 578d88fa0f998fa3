/** Below this size, a second worker does not pay for reopening the file: a plane that is compressed. */
const COMPRESSED_PLANE_BYTES = 4 * 2 ** 20;
/** Bytes of float32 that a worker makes from uncompressed samples in a millisecond, on a fast machine. */
const PLAIN_BYTES_PER_MS = 8 * 2 ** 20;

export interface SharingFacts {
  isCompressed: boolean;
  /** Planes to decode, and the bytes of each as float32. */
  planes: number;
  planeBytes: number;
  /** Milliseconds that opening the file took. */
  openMs: number;
  /** Processes that wanted a core during the last minute, on average; 0 where the system does not tell. */
  load: number;
  cores: number;
}

/**
 * Returns how many further workers, each of which opens the file too, make an open faster. Compressed planes take all that
 * are idle. Uncompressed ones are as fast as memory: they take one, if the file opens quickly beside the decoding that it
 * saves, and if a core is idle too. On a busy machine, two threads only take the core from each other.
 */
export function countUsefulHelpers(facts: SharingFacts): number {
  const { isCompressed, planes, planeBytes, openMs } = facts;
  if (isCompressed) return planeBytes >= COMPRESSED_PLANE_BYTES ? Number.POSITIVE_INFINITY : 0;
  const decodeMs = (planes * planeBytes) / PLAIN_BYTES_PER_MS;
  // These two ask the system, which small files do without.
  return decodeMs > 2 * openMs && facts.load + 0.5 <= facts.cores ? 1 : 0;
}
