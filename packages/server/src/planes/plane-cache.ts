import { deferred, untilAborted } from '../waiting.js';
import { Claims, notNeeded, type PlaneUser, Shortage, tooLarge } from './claims.js';
import type { PinnedPlane, PlaneArena } from './plane-memory.js';

/** A plane in memory, or on its way there. Its bytes are counted from the start. */
interface CachedPlane {
  byteLength: number;
  plane: Promise<PinnedPlane>;
  /** Set when it is decoded: it may be dropped then, and decoded again. */
  stored: PinnedPlane | undefined;
  /** Callers that wait for it. */
  waiting: number;
  /** Callers that use it. */
  pins: number;
  /** Forgotten, but still used. */
  isRemoved: boolean;
  /** Stops the decode; `undefined` when it is a part of an open, which fails with its own client. */
  stop: ((reason: unknown) => void) | undefined;
  /** See `PlaneUser`. Who waits for the plane gets it all the same. */
  ahead: AbortController | undefined;
}

/**
 * Planes in memory within the budget of the arena, each for all sessions that have claimed it. A plane is a promise from the
 * start. When room is needed, those that were read longest ago go first; one that is being decoded or sent stays.
 */
export class PlaneCache {
  readonly arena: PlaneArena;
  /** Least recently read first. */
  private readonly entries = new Map<string, CachedPlane>();
  private readonly claims = new Claims();
  /** Bytes that the planes of one owner may take. */
  private readonly maxBytesPerOwner: number;
  private used = 0;
  /** See `onShortage`. */
  private relieve: (owner: string | undefined) => Promise<boolean> = async () => false;

  constructor(arena: PlaneArena, maxBytesPerOwner = Number.POSITIVE_INFINITY) {
    this.arena = arena;
    this.maxBytesPerOwner = maxBytesPerOwner;
  }

  /** Bytes of the planes that are held, being decoded or being sent. */
  get usedBytes(): number {
    return this.used;
  }

  /** Whether `byteLength` bytes could ever be held. */
  fits(byteLength: number, owner?: string): boolean {
    return byteLength <= (owner === undefined ? this.arena.budget : Math.min(this.arena.budget, this.maxBytesPerOwner));
  }

  /** Whether `byteLength` more bytes fit without dropping a plane, nor one of the owner. */
  hasRoom(byteLength: number, owner?: string): boolean {
    const isWithinShare = owner === undefined || this.excessOf(owner, byteLength) <= 0;
    return isWithinShare && this.used + this.arena.state.scratchBytes + byteLength <= this.arena.budget;
  }

  /**
   * Runs `work` while `byteLength` bytes that it takes beside planes are counted.
   * @throws AcqError like `makeRoom`, and what `work` throws
   */
  async withScratch<T>(byteLength: number, work: () => Promise<T>): Promise<T> {
    const release = await this.reserve(byteLength);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Counts memory beside planes until the returned function is called.
   * @throws AcqError like `makeRoom`
   */
  reserve(byteLength: number, owner?: string): Promise<() => void> {
    return this.withRoom(byteLength, owner, () => {
      const release = this.arena.reserve(byteLength);
      this.claims.reserve(owner, byteLength);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        release();
        this.claims.reserve(owner, -byteLength);
      };
    });
  }

  /**
   * Sets what frees memory that is held for clients who do not use it, when dropping planes is not enough.
   * @param relieve returns whether it freed some; an owner's, if one is given
   */
  onShortage(relieve: (owner: string | undefined) => Promise<boolean>): void {
    this.relieve = relieve;
  }

  /**
   * Calls `take` as soon as `byteLength` bytes have room: in the same turn, unless others must free memory first.
   * @throws AcqError like `makeRoom`
   */
  async withRoom<T>(byteLength: number, owner: string | undefined, take: () => T): Promise<T> {
    for (;;) {
      try {
        this.makeRoom(byteLength, owner);
      } catch (error) {
        if (error instanceof Shortage && (await this.free(error.owner))) continue;
        throw error;
      }
      return take();
    }
  }

  /** @throws AcqError `plane_too_large` when `byteLength` bytes can never be held */
  checkFits(byteLength: number, owner?: string): void {
    if (!this.fits(byteLength)) throw tooLarge(byteLength, this.arena.budget);
    if (!this.fits(byteLength, owner)) throw tooLarge(byteLength, this.maxBytesPerOwner, owner);
  }

  /**
   * Drops planes until `byteLength` more bytes fit, first of all those of the owner, who may have reached a limit.
   * @throws AcqError `plane_too_large` when they never can, `capacity_exceeded` when dropping does not help; nothing is
   * dropped then
   */
  makeRoom(byteLength: number, owner?: string): void {
    this.checkFits(byteLength, owner);
    const own = this.ownRoom(byteLength, owner);
    // A plane that others need too stays: only the claims of this owner end.
    const chosen = new Set(own.filter((key) => !this.claims.isShared(owner, key)));
    let missing = this.used + this.arena.state.scratchBytes + byteLength - this.arena.budget;
    for (const key of chosen) missing -= this.entries.get(key)?.byteLength ?? 0;
    for (const [key, entry] of this.entries) {
      if (missing <= 0) break;
      if (!isIdle(entry) || chosen.has(key)) continue;
      chosen.add(key);
      missing -= entry.byteLength;
    }
    if (missing > 0) throw new Shortage(byteLength, this.arena.budget, undefined);
    for (const key of chosen) this.remove(key);
    for (const key of own) this.claims.endAll(key, owner);
  }

  /**
   * Holds a plane from now on, also for those who claimed another one of this key. Room was made before. One that fails is
   * forgotten.
   */
  put(
    key: string,
    byteLength: number,
    plane: Promise<PinnedPlane>,
    reader: PlaneUser,
    stop?: (reason: unknown) => void,
  ): void {
    const claims = this.claims.endAll(key);
    this.remove(key);
    const entry: CachedPlane = {
      byteLength,
      plane,
      stored: undefined,
      waiting: 0,
      pins: 0,
      isRemoved: false,
      stop,
      ahead: reader.ahead,
    };
    this.entries.set(key, entry);
    for (const claim of [...claims, reader]) this.claims.add(key, byteLength, claim);
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

  /** Pins a plane that is in memory; `undefined` when it must be waited for, or its owner has no room for it. */
  take(key: string, reader: PlaneUser): PinnedPlane | undefined {
    const entry = this.entries.get(key);
    if (!entry?.stored) return undefined;
    try {
      this.claimWithin(key, entry, reader);
    } catch (error) {
      if (error instanceof Shortage) return undefined;
      throw error;
    }
    this.touch(key, entry);
    return this.pin(entry, entry.stored);
  }

  /**
   * The plane, decoded by `decode` if it is not there; several callers at once share one decode. It is stopped when
   * all of them have left. The caller must release what it gets.
   * @param decode its signal aborts when nobody waits for the plane any more
   * @throws AcqError `plane_too_large`, `capacity_exceeded`, and whatever `decode` throws
   */
  async read(
    key: string,
    byteLength: number,
    decode: (signal: AbortSignal) => Promise<PinnedPlane>,
    reader: PlaneUser,
  ): Promise<PinnedPlane> {
    const { claimant, owner, signal } = reader;
    signal?.throwIfAborted();
    let isEnded = false;
    for (;;) {
      const found = this.entries.get(key);
      try {
        if (!found) this.makeRoom(byteLength, owner);
        else if (!isEnded) this.claimWithin(key, found, reader);
      } catch (error) {
        const isKnown = this.claims.knows(claimant);
        if (!(error instanceof Shortage && (await this.free(error.owner)))) throw error;
        signal?.throwIfAborted();
        isEnded ||= isKnown && !this.claims.knows(claimant);
        continue;
      }
      if (!found) {
        const stopping = new AbortController();
        const begun = deferred<PinnedPlane>();
        this.put(key, byteLength, begun.promise, reader, (reason) => stopping.abort(reason));
        // It is counted before the decode makes room for what it takes itself.
        begun.resolve(decode(stopping.signal));
      }
      const entry = found ?? this.entries.get(key)!;
      this.touch(key, entry);
      if (isEnded) this.drop(claimant);
      // A part of an open, or read ahead: it may fail for reasons that do not concern who waits for it.
      const mayFailAlone = found && !found.stored && (!found.stop || found.ahead !== undefined);
      if (!mayFailAlone) return this.share(key, entry, signal);
      try {
        return await this.share(key, entry, signal);
      } catch {
        signal?.throwIfAborted();
        isEnded ||= !this.claims.knows(claimant);
      }
    }
  }

  /** True when a plane is neither there nor on its way, and would take no memory of others: it may be read `ahead`. */
  mayReadAhead(key: string, byteLength: number, owner?: string): boolean {
    return !this.entries.has(key) && this.hasRoom(byteLength, owner);
  }

  /** Returns how many planes in memory a session has claimed, and their bytes. */
  heldFor(claimant: string): { planes: number; bytes: number } {
    const keys = this.claims.keysOf(claimant);
    const held = keys.map((key) => this.entries.get(key)).filter((entry) => entry?.stored !== undefined);
    return { planes: held.length, bytes: held.reduce((sum, entry) => sum + (entry?.byteLength ?? 0), 0) };
  }

  /** True when a plane is decoded and in memory. */
  holds(key: string): boolean {
    return this.entries.get(key)?.stored !== undefined;
  }

  /**
   * Claims a plane that is there already, or on its way: then the promise rejects when its decode fails, as it does when the
   * owner has no room for it. Returns nothing when it is not there.
   */
  find(key: string, reader: PlaneUser): Promise<PinnedPlane> | undefined {
    const entry = this.entries.get(key);
    return entry && this.findEntry(key, entry, reader);
  }

  /** Forgets a plane. Who waits for it still gets it, who uses it keeps it; its bytes count until then. */
  remove(key: string): void {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.entries.delete(key);
    this.claims.endAll(key);
    entry.isRemoved = true;
    this.freeUnused(entry);
  }

  /** Ends the claims of a session. Planes that no other session has claimed are forgotten. */
  drop(claimant: string): void {
    for (const key of this.claims.keysOf(claimant)) {
      if (this.claims.end(key, claimant)) this.remove(key);
    }
    this.claims.forget(claimant);
  }

  /** Frees memory that nobody has asked for yet, or else that of clients who do not use it. @returns whether it freed some */
  private async free(owner: string | undefined): Promise<boolean> {
    const ahead = [...this.entries].filter(
      ([key, entry]) => canBeStopped(entry) && (owner === undefined || this.claims.isOf(owner, key)),
    );
    for (const [, entry] of ahead) entry.ahead?.abort(notNeeded());
    await Promise.allSettled(ahead.map(([, { plane }]) => plane));
    return ahead.length > 0 || this.relieve(owner);
  }

  /** Bytes by which an owner with `byteLength` more bytes is above the limit. */
  private excessOf(owner: string, byteLength: number): number {
    return this.claims.bytesOf(owner) + byteLength - this.maxBytesPerOwner;
  }

  /** Returns the planes that an owner gives up so that `byteLength` more bytes are within the limit. */
  private ownRoom(byteLength: number, owner: string | undefined): string[] {
    if (owner === undefined) return [];
    const chosen: string[] = [];
    let missing = this.excessOf(owner, byteLength);
    for (const key of missing > 0 ? this.claims.planesOf(owner) : []) {
      const entry = this.entries.get(key);
      if (!entry || !isIdle(entry)) continue;
      chosen.push(key);
      missing -= entry.byteLength;
      if (missing <= 0) break;
    }
    if (missing > 0) throw new Shortage(byteLength, this.maxBytesPerOwner, owner);
    return chosen;
  }

  /** Read last: dropped last. */
  private touch(key: string, entry: CachedPlane): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
  }

  private async findEntry(key: string, entry: CachedPlane, reader: PlaneUser): Promise<PinnedPlane> {
    this.claimWithin(key, entry, reader);
    this.touch(key, entry);
    return this.share(key, entry, reader.signal);
  }

  /**
   * Claims a plane that is there, and makes room for it among those of the owner.
   * @throws AcqError `capacity_exceeded`
   */
  private claimWithin(key: string, entry: CachedPlane, reader: PlaneUser): void {
    const { owner } = reader;
    if (owner !== undefined) {
      if (!this.claims.isOf(owner, key)) {
        for (const each of this.ownRoom(entry.byteLength, owner)) {
          if (this.claims.isShared(owner, each)) this.claims.endAll(each, owner);
          else this.remove(each);
        }
      }
      this.claims.touch(owner, key);
    }
    this.claims.add(key, entry.byteLength, reader);
  }

  private async share(key: string, entry: CachedPlane, signal: AbortSignal | undefined): Promise<PinnedPlane> {
    entry.waiting++;
    try {
      const stored = entry.stored ?? (await (signal ? untilAborted(entry.plane, signal) : entry.plane));
      return this.pin(entry, stored);
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

  private pin(entry: CachedPlane, { data }: PinnedPlane): PinnedPlane {
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

  private freeUnused(entry: CachedPlane): void {
    if (!entry.isRemoved || !entry.stored || !isIdle(entry)) return;
    entry.stored.release();
    entry.stored = undefined;
    this.used -= entry.byteLength;
  }
}

/** Decoded, and nobody uses it or is about to. */
function isIdle({ stored, pins, waiting }: CachedPlane): boolean {
  return stored !== undefined && pins === 0 && waiting === 0;
}

/** On its way, and nobody has asked for it. */
function canBeStopped({ stored, waiting, ahead }: CachedPlane): boolean {
  return !stored && ahead !== undefined && !ahead.signal.aborted && waiting === 1;
}
