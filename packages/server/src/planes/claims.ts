/** Who needs the planes in memory, how much of it each user may take, and what is said when there is no room. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';

/** Who reads a plane. */
export interface PlaneUser {
  /** Session that the plane is held for. */
  claimant: string;
  /** User whose share of the memory the plane counts against, once for all sessions of that user. */
  owner?: string | undefined;
  /** Aborts when the caller leaves. */
  signal?: AbortSignal | undefined;
  /**
   * Set by whoever reads a plane that nobody has asked for yet; `signal` is its signal. The cache aborts it when others need the memory,
   * unless somebody waits for the plane by then.
   */
  ahead?: AbortController | undefined;
}

/** Which sessions, and which users, need the planes in memory. */
export class Claims {
  /** Planes by key; the owner of each claimant. */
  private readonly byKey = new Map<string, { byteLength: number; claimants: Map<string, string | undefined> }>();
  /** Keys by claimant, until the claimant is forgotten. */
  private readonly byClaimant = new Map<string, Set<string>>();
  /**
   * What each owner has claimed: the number of the owner's sessions that have claimed a plane, by its key; least recently read
   * first.
   */
  private readonly shares = new Map<string, { bytes: number; sessions: Map<string, number> }>();
  /** Bytes beside planes that were reserved for owners. */
  private readonly reserved = new Map<string, number>();

  add(key: string, byteLength: number, { claimant, owner }: PlaneUser): void {
    const keys = this.byClaimant.get(claimant) ?? new Set();
    this.byClaimant.set(claimant, keys);
    if (keys.has(key)) return;
    keys.add(key);
    const claimed = this.byKey.get(key) ?? { byteLength, claimants: new Map() };
    this.byKey.set(key, claimed);
    claimed.claimants.set(claimant, owner);
    if (owner === undefined) return;
    const share = this.shares.get(owner) ?? { bytes: 0, sessions: new Map() };
    this.shares.set(owner, share);
    const sessions = share.sessions.get(key) ?? 0;
    if (sessions === 0) share.bytes += byteLength;
    share.sessions.set(key, sessions + 1);
  }

  /** @returns whether nobody needs the plane any more */
  end(key: string, claimant: string): boolean {
    const claimed = this.byKey.get(key);
    if (!claimed?.claimants.has(claimant)) return false;
    const owner = claimed.claimants.get(claimant);
    claimed.claimants.delete(claimant);
    this.byClaimant.get(claimant)?.delete(key);
    if (owner !== undefined) this.subtract(owner, key, claimed.byteLength);
    if (claimed.claimants.size > 0) return false;
    this.byKey.delete(key);
    return true;
  }

  /** Ends every claim to a plane, or those of one owner. Returns them. */
  endAll(key: string, owner?: string): PlaneUser[] {
    const claims = [...(this.byKey.get(key)?.claimants ?? [])].map(([claimant, owner]) => ({ claimant, owner }));
    const ended = owner === undefined ? claims : claims.filter((claim) => claim.owner === owner);
    for (const { claimant } of ended) this.end(key, claimant);
    return ended;
  }

  /** Forgets a session; its claims have ended. */
  forget(claimant: string): void {
    this.byClaimant.delete(claimant);
  }

  /** True until the session is forgotten. */
  knows(claimant: string): boolean {
    return this.byClaimant.has(claimant);
  }

  /** Keys of the planes that a session has claimed. */
  keysOf(claimant: string): string[] {
    return [...(this.byClaimant.get(claimant) ?? [])];
  }

  /** Counts bytes beside planes for an owner, or no longer when they are negative. */
  reserve(owner: string | undefined, byteLength: number): void {
    if (owner === undefined) return;
    const bytes = (this.reserved.get(owner) ?? 0) + byteLength;
    if (bytes > 0) this.reserved.set(owner, bytes);
    else this.reserved.delete(owner);
  }

  /** Bytes of the planes that sessions of an owner have claimed, and of what was reserved for the owner. */
  bytesOf(owner: string): number {
    return (this.shares.get(owner)?.bytes ?? 0) + (this.reserved.get(owner) ?? 0);
  }

  /** True when a session of the owner has claimed the plane. */
  isOf(owner: string, key: string): boolean {
    return this.shares.get(owner)?.sessions.has(key) ?? false;
  }

  /** True when somebody else has claimed the plane too. */
  isShared(owner: string | undefined, key: string): boolean {
    return [...(this.byKey.get(key)?.claimants.values() ?? [])].some((other) => other !== owner);
  }

  /** The owner has read a plane: it is the last of `planesOf` from now on. */
  touch(owner: string, key: string): void {
    const sessions = this.shares.get(owner)?.sessions;
    const count = sessions?.get(key);
    if (!sessions || count === undefined) return;
    sessions.delete(key);
    sessions.set(key, count);
  }

  /** Keys of the planes of an owner, least recently read first. */
  planesOf(owner: string): Iterable<string> {
    return this.shares.get(owner)?.sessions.keys() ?? [];
  }

  private subtract(owner: string, key: string, byteLength: number): void {
    const share = this.shares.get(owner)!;
    const left = share.sessions.get(key)! - 1;
    if (left > 0) {
      share.sessions.set(key, left);
      return;
    }
    share.sessions.delete(key);
    share.bytes -= byteLength;
    if (share.sessions.size === 0) this.shares.delete(owner);
  }
}

/** There is no room now, and may be later. */
export class Shortage extends AcqError {
  /** Set when the limit of this owner is reached. */
  readonly owner: string | undefined;

  constructor(byteLength: number, limit: number, owner: string | undefined) {
    const others = owner === undefined ? 'other planes' : 'other planes of yours';
    super(
      'capacity_exceeded',
      `${describe(byteLength, limit, owner)}, and ${others} are being decoded or sent. Try again in a few seconds.`,
    );
    this.owner = owner;
  }
}

/** Why a decode ends that nobody has asked for. */
export function notNeeded(): AcqError {
  return new AcqError('capacity_exceeded', 'The plane was to be decoded before it was asked for, and is not needed.');
}

/** @param owner whose limit it is; everybody's when omitted */
export function tooLarge(byteLength: number, limit: number, owner?: string): AcqError {
  const message = `${describe(byteLength, limit, owner)}. Ask for fewer channels, or raise the limit.`;
  return new AcqError('plane_too_large', message);
}

function describe(byteLength: number, limit: number, owner: string | undefined): string {
  const told =
    owner === undefined
      ? `the limit is ${grouped(limit)} (--memory-budget)`
      : `the limit of each user is ${grouped(limit)} (--memory-per-owner)`;
  return `This needs ${grouped(byteLength)} bytes of memory; ${told}`;
}
