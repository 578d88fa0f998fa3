import { AcqError } from '../errors.js';
import { untilAborted } from './deadline.js';

/** A plane in memory, or on its way there. Its bytes are counted from the start. */
interface Entry {
  byteLength: number;
  bytes: Promise<Uint8Array>;
  /** Decoded: may be dropped, and decoded again. */
  settled: boolean;
  /** Callers that wait for it. */
  readers: number;
  /** Stops the decode. */
  stop: ((reason: unknown) => void) | undefined;
}

/**
 * Planes in memory within a budget. A plane is a promise from the start. When room is needed, those that were read
 * longest ago go first; one that is being decoded stays.
 */
export class PlaneCache {
  private readonly budget: number;
  /** Least recently read first. */
  private readonly entries = new Map<string, Entry>();
  private used = 0;

  /** @param budget bytes of planes */
  constructor(budget: number) {
    this.budget = budget;
  }

  /** Bytes of the planes that are held or being decoded. */
  get usedBytes(): number {
    return this.used;
  }

  /** Whether `byteLength` bytes could ever be held. */
  fits(byteLength: number): boolean {
    return byteLength <= this.budget;
  }

  /**
   * Drops planes until `byteLength` more bytes fit.
   * @throws AcqError `capacity_exceeded` when dropping does not help; nothing is dropped then
   */
  makeRoom(byteLength: number): void {
    let needed = this.used + byteLength - this.budget;
    if (needed <= 0) return;
    const dropped: string[] = [];
    for (const [key, entry] of this.entries) {
      if (needed <= 0) break;
      if (!entry.settled) continue;
      dropped.push(key);
      needed -= entry.byteLength;
    }
    if (needed > 0) throw this.exceeded(byteLength);
    for (const key of dropped) this.remove(key);
  }

  /** Holds a plane from now on. Room was made before. One that fails is forgotten. */
  put(key: string, byteLength: number, bytes: Promise<Uint8Array>, stop?: (reason: unknown) => void): void {
    const entry: Entry = { byteLength, bytes, settled: false, readers: 0, stop };
    this.entries.set(key, entry);
    this.used += byteLength;
    bytes.then(
      () => {
        entry.settled = true;
        if (this.entries.get(key) !== entry) this.used -= byteLength;
      },
      () => {
        this.used -= byteLength;
        if (this.entries.get(key) === entry) this.entries.delete(key);
      },
    );
  }

  /**
   * The plane, decoded by `decode` if it is not there; several callers at once share one decode. It is stopped when
   * all of them have left.
   * @param signal the caller leaves
   * @throws AcqError `capacity_exceeded`, and whatever `decode` throws
   */
  async read(
    key: string,
    byteLength: number,
    decode: (signal: AbortSignal) => Promise<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    signal?.throwIfAborted();
    if (!this.entries.has(key)) {
      this.makeRoom(byteLength);
      const controller = new AbortController();
      this.put(key, byteLength, decode(controller.signal), (reason) => controller.abort(reason));
    }
    const entry = this.entries.get(key) as Entry;
    // Read last: dropped last.
    this.entries.delete(key);
    this.entries.set(key, entry);
    return this.share(key, entry, signal);
  }

  /** Forgets a plane. Whoever waits for it still gets it; its bytes count until it is decoded. */
  remove(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    if (entry.settled) this.used -= entry.byteLength;
  }

  private async share(key: string, entry: Entry, signal: AbortSignal | undefined): Promise<Uint8Array> {
    entry.readers++;
    try {
      return await (signal ? untilAborted(entry.bytes, signal) : entry.bytes);
    } finally {
      entry.readers--;
      if (entry.readers === 0 && !entry.settled && entry.stop) {
        // The next caller starts anew instead of waiting for a decode that is being stopped.
        if (this.entries.get(key) === entry) this.entries.delete(key);
        entry.stop(signal?.reason);
      }
    }
  }

  private exceeded(byteLength: number): AcqError {
    const budget = `the memory budget is ${this.budget} bytes (--memory-budget)`;
    return new AcqError(
      'capacity_exceeded',
      byteLength > this.budget
        ? `The planes asked for take ${byteLength} bytes; ${budget}. Ask for fewer channels, or raise the budget.`
        : `The planes asked for take ${byteLength} bytes; ${budget}, and others are being decoded. Try again later.`,
    );
  }
}
