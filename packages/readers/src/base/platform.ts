/** What readers need of the program or page that they run in, beside the files that they open. */

/** A stream of deflate. */
export interface InflateJob {
  /** What is around the stream; `gzip` stands for gzip or zlib, whichever the header says. */
  wrapper: 'zlib' | 'gzip' | 'raw';
  /** Max bytes of output. */
  limit: number;
  /** Bytes of output to reserve memory for. */
  expected?: number;
  /** A truncated stream returns the bytes that it contains; without it, it is an error. */
  allowsTruncated?: boolean;
}

/** Unpacks what `simd/inflater.ts` leaves to others: streams that are unusual, corrupted or large. */
export interface Inflate {
  /**
   * Returns new memory, or `too large` for more than the limit.
   * @throws Error for corrupted data
   */
  inflate(data: Uint8Array, job: InflateJob): Uint8Array | 'too large';
  /** Returns the checksum of gzip and ZIP (CRC-32). */
  crc32(bytes: Uint8Array): number;
  /** Decodes frames of Zstandard. Absent where a WebAssembly build does it. @throws Error */
  zstd?: ((data: Uint8Array, size: { limit: number; expected: number }) => Uint8Array) | undefined;
}

/** Loads the codecs that are WebAssembly. */
export interface Wasm {
  /** Returns a file of a dependency. @param specifier as for an import */
  read(specifier: string): Promise<Uint8Array>;
  /** Calls a function that starts a codec, and undoes what the codec does to the program beside that. */
  start<T>(create: () => T): T;
}

export interface Platform {
  inflate: Inflate;
  wasm: Wasm;
  /** Like `swapInLoops` of `samples/swap.ts`, where the platform has something several times as fast. */
  swapBytes?(bytes: Uint8Array, size: number): void;
  /** True where users choose files, and readers see no others: a file that is missing was perhaps not chosen. */
  filesAreChosen?: boolean;
}

let current: Platform | undefined;

/** Says where readers run. Each thread calls it once, before it opens a file. */
export function usePlatform(platform: Platform): void {
  current = platform;
}

export function platform(): Platform {
  if (!current) throw new Error('Call usePlatform before a file is opened.');
  return current;
}

export function filesAreChosen(): boolean {
  return current?.filesAreChosen === true;
}
