import { untilAborted } from '../deadline.js';
import { AcqError } from '../errors.js';
import type { PlaneData, SourceData } from '../samples/plane-data.js';
import { grouped } from '../wording.js';
import type { PlaneArena } from './arena.js';
import type { StoredPlane } from './plane-builder.js';

/** A plane that stays in memory until it is released. */
export interface PinnedPlane<Data extends SourceData = PlaneData> {
  data: Data;
  /** May be called more than once. */
  release(): void;
}

/** A plane in memory, or on its way there. Its bytes are counted from the start. */
interface Entry {
  byteLength: number;
  plane: Promise<StoredPlane>;
  /** Set when it is decoded: it may be dropped then, and decoded again. */
  stored: StoredPlane | undefined;
  /** Callers that wait for it. */
  waiting: number;
  /** Callers that use it. */
  pins: number;
  /** Sessions that it is held for. Without any, it goes when nobody uses it. */
  claims: Set<string>;
  /** Forgotten, but still used. */
  isRemoved: boolean;
  /** Stops the decode; `undefined` when it is a part of an open, which fails with its own client. */
  stop: ((reason: unknown) => void) | undefined;
}

/** Who reads a plane. */
export interface Reader {
  /** Session that the plane is held for from now on. */
  claimant: string;
  /** Aborts when the caller leaves. */
  signal?: AbortSignal | undefined;
}

/**
 * Planes in memory within the budget of the arena, each for all sessions that have claimed it. A plane is a promise from the
 * start. When room is needed, those that were read longest ago go first; one that is being decoded or sent stays.
 */
export class PlaneCache {
  readonly arena: PlaneArena;
  /** Least recently read first. */
  private readonly entries = new Map<string, Entry>();
  /** Keys by claimant, until the claimant is dropped. */
  private readonly claims = new Map<string, Set<string>>();
  private used = 0;

  constructor(arena: PlaneArena) {
    this.arena = arena;
  }

  /** Bytes of the planes that are held, being decoded or being sent. */
  get usedBytes(): number {
    return this.used;
  }

  /** Whether `byteLength` bytes could ever be held. */
  fits(byteLength: number): boolean {
    return byteLength <= this.arena.budget;
  }

  /** Whether `byteLength` more bytes fit without dropping a plane. */
  hasRoom(byteLength: number): boolean {
    return this.used + this.arena.state.scratchBytes + byteLength <= this.arena.budget;
  }

  /**
   * Runs `work` while `byteLength` bytes that it takes beside planes are counted.
   * @throws AcqError like `makeRoom`, and what `work` throws
   */
  async withScratch<T>(byteLength: number, work: () => Promise<T>): Promise<T> {
    this.makeRoom(byteLength);
    const release = this.arena.reserve(byteLength);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** @throws AcqError `plane_too_large` when `byteLength` bytes can never be held */
  checkFits(byteLength: number): void {
    if (!this.fits(byteLength)) throw this.tooLarge(byteLength);
  }

  /**
   * Drops planes until `byteLength` more bytes fit.
   * @throws AcqError `plane_too_large` when they never can, `capacity_exceeded` when dropping does not help; nothing is
   * dropped then
   */
  makeRoom(byteLength: number): void {
    this.checkFits(byteLength);
    let missing = this.used + this.arena.state.scratchBytes + byteLength - this.arena.budget;
    const dropped: string[] = [];
    for (const [key, entry] of this.entries) {
      if (missing <= 0) break;
      if (!isIdle(entry)) continue;
      dropped.push(key);
      missing -= entry.byteLength;
    }
    if (missing > 0) throw this.exceeded(byteLength);
    for (const key of dropped) this.remove(key);
  }

  /**
   * Holds a plane from now on, also for those who claimed another one of this key. Room was made before. One that fails is
   * forgotten.
   */
  put(
    key: string,
    byteLength: number,
    plane: Promise<StoredPlane>,
    claimant: string,
    stop?: (reason: unknown) => void,
  ): void {
    const claims = new Set(this.entries.get(key)?.claims);
    this.remove(key);
    const entry: Entry = { byteLength, plane, stored: undefined, waiting: 0, pins: 0, claims, isRemoved: false, stop };
    this.entries.set(key, entry);
    for (const each of [...claims, claimant]) this.claim(key, entry, each);
    this.used += byteLength;
    plane.then(
      (stored) => {
        entry.stored = stored;
        this.freeUnused(entry);
      },
      () => {
        this.used -= byteLength;
        if (this.entries.get(key) === entry) this.remove(key);
      },
    );
  }

  /**
   * The plane, decoded by `decode` if it is not there; several callers at once share one decode. It is stopped when
   * all of them have left. The caller must release what it gets.
   * @throws AcqError `plane_too_large`, `capacity_exceeded`, and whatever `decode` throws
   */
  async read(
    key: string,
    byteLength: number,
    decode: (signal: AbortSignal) => Promise<StoredPlane>,
    { claimant, signal }: Reader,
  ): Promise<PinnedPlane<SourceData>> {
    signal?.throwIfAborted();
    let isEnded = false;
    for (let entry = this.entries.get(key); entry && isPartOfOpen(entry); entry = this.entries.get(key)) {
      try {
        if (!isEnded) this.claim(key, entry, claimant);
        return await this.share(key, entry, signal);
      } catch {
        // What failed is another client's open, for reasons of its own.
        signal?.throwIfAborted();
        isEnded ||= !this.claims.has(claimant);
      }
    }
    if (!this.entries.has(key)) {
      this.makeRoom(byteLength);
      const controller = new AbortController();
      this.put(key, byteLength, decode(controller.signal), claimant, (reason) => controller.abort(reason));
    }
    const entry = this.entries.get(key)!;
    this.claim(key, entry, claimant);
    this.touch(key, entry);
    if (isEnded) this.drop(claimant);
    return this.share(key, entry, signal);
  }

  /** Returns how many planes in memory a session has claimed, and their bytes. */
  heldFor(claimant: string): { planes: number; bytes: number } {
    const keys = [...(this.claims.get(claimant) ?? [])];
    const held = keys.map((key) => this.entries.get(key)).filter((entry) => entry?.stored !== undefined);
    return { planes: held.length, bytes: held.reduce((sum, entry) => sum + (entry?.byteLength ?? 0), 0) };
  }

  /** True when a plane is decoded and in memory. */
  holds(key: string): boolean {
    return this.entries.get(key)?.stored !== undefined;
  }

  /**
   * Claims a plane that is there already, or on its way: then the promise rejects when its decode fails. Returns nothing
   * when it is not there.
   */
  find(key: string, { claimant, signal }: Reader): Promise<PinnedPlane<SourceData>> | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    this.claim(key, entry, claimant);
    this.touch(key, entry);
    return this.share(key, entry, signal);
  }

  /** Forgets a plane. Who waits for it still gets it, who uses it keeps it; its bytes count until then. */
  remove(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    for (const claimant of entry.claims) this.claims.get(claimant)?.delete(key);
    entry.isRemoved = true;
    this.freeUnused(entry);
  }

  /** Ends the claims of a session. Planes that no other session has claimed are forgotten. */
  drop(claimant: string): void {
    const keys = this.claims.get(claimant);
    this.claims.delete(claimant);
    for (const key of keys ?? []) {
      const claims = this.entries.get(key)?.claims;
      claims?.delete(claimant);
      if (claims?.size === 0) this.remove(key);
    }
  }

  /** Read last: dropped last. */
  private touch(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  private claim(key: string, entry: Entry, claimant: string): void {
    entry.claims.add(claimant);
    const keys = this.claims.get(claimant);
    if (keys) keys.add(key);
    else this.claims.set(claimant, new Set([key]));
  }

  private async share(key: string, entry: Entry, signal: AbortSignal | undefined): Promise<PinnedPlane<SourceData>> {
    entry.waiting++;
    try {
      const { data } = await (signal ? untilAborted(entry.plane, signal) : entry.plane);
      return this.pin(entry, data);
    } finally {
      entry.waiting--;
      if (entry.waiting === 0 && !entry.stored && entry.stop) {
        // The next caller starts anew instead of waiting for a decode that is being stopped.
        if (this.entries.get(key) === entry) this.remove(key);
        entry.isRemoved = true;
        entry.stop(signal?.reason);
      }
      this.freeUnused(entry);
    }
  }

  private pin(entry: Entry, data: SourceData): PinnedPlane<SourceData> {
    entry.pins++;
    let isHeld = true;
    return {
      data,
      release: () => {
        if (isHeld) entry.pins--;
        isHeld = false;
        this.freeUnused(entry);
      },
    };
  }

  private freeUnused(entry: Entry): void {
    if (!entry.isRemoved || !entry.stored || !isIdle(entry)) return;
    for (const block of entry.stored.blocks) this.arena.give(block);
    entry.stored = undefined;
    this.used -= entry.byteLength;
  }

  private tooLarge(byteLength: number): AcqError {
    return new AcqError(
      'plane_too_large',
      `This needs ${grouped(byteLength)} bytes of memory; ${this.limit()}. Ask for fewer channels, or raise the limit.`,
    );
  }

  private exceeded(byteLength: number): AcqError {
    return new AcqError(
      'capacity_exceeded',
      `This needs ${grouped(byteLength)} bytes of memory; ${this.limit()}, and other planes are being decoded or sent. ` +
        'Try again in a few seconds.',
    );
  }

  private limit(): string {
    return `the limit is ${grouped(this.arena.budget)} (--memory-budget)`;
  }
}

/** On its way as a part of an open. */
function isPartOfOpen({ stored, stop }: Entry): boolean {
  return !stored && !stop;
}

/** Decoded, and nobody uses it or is about to. */
function isIdle({ stored, pins, waiting }: Entry): boolean {
  return stored !== undefined && pins === 0 && waiting === 0;
}
