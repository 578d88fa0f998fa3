/**
 * The sessions that this instance knows: those it opened, and those of other instances that clients have asked it for. Decides
 * whether there is room for another one, and which of them end so that others can begin.
 */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { endedForOthers, sessionNotFound } from './answers.js';
import { checkCount, checkOwnCount } from './limits.js';
import { partyOf, type SessionRecord } from './record.js';
import type { SessionServiceOptions } from './service-options.js';
import { SharedSessions } from './shared-sessions.js';
import type { SessionApi, SessionClient } from './types.js';

/** A party does not lose a session that was used within this time to another session of its own. */
export const RECENT_MS = 10_000;
/** Sessions that are remembered after they were ended to make room. */
const MAX_REMEMBERED = 10_000;

export class SessionRegistry {
  /** Those of a store that instances share. */
  readonly shared: SharedSessions | undefined;
  private readonly options: Pick<SessionServiceOptions, 'maxSessions' | 'maxSessionsPerOwner' | 'opensPerOwner'>;
  private readonly now: () => number;
  private readonly onEnd;
  private readonly report: (error: unknown) => void;
  private readonly known = new Map<string, SessionRecord>();
  /** Opens in progress, each of which will become a session. */
  private readonly opens = new Set<{ owner: string | undefined }>();
  private readonly usedAt = new WeakMap<SessionRecord, number>();
  /** Requests in progress about each session. */
  private readonly readers = new Map<string, number>();
  /** Ids of sessions that were ended to make room, the oldest first. */
  private readonly ended = new Set<string>();

  /**
   * @param now returns milliseconds since 1970; the value never decreases
   * @param onEnd frees what this instance holds for a session; `isTakenBack` when no client has learned of it
   */
  constructor(
    options: SessionRegistry['options'] & Pick<SessionServiceOptions, 'store' | 'report'>,
    now: () => number,
    onEnd: (record: SessionRecord, isTakenBack: boolean) => void,
  ) {
    this.options = options;
    this.now = now;
    this.onEnd = onEnd;
    this.report = options.report ?? (() => {});
    this.shared = options.store && new SharedSessions(options.store, this.report);
  }

  /** The sessions known here, in the order in which they became known. */
  get records(): SessionRecord[] {
    return [...this.known.values()];
  }

  /** The sessions of clients that are known here. */
  get counted(): SessionRecord[] {
    return this.records.filter(({ isWarmUp }) => !isWarmUp);
  }

  /** Opens in progress. */
  get opening(): number {
    return this.opens.size;
  }

  /** Keeps a session from being ended for others until the returned function is called. */
  hold(sessionId: string): () => void {
    this.readers.set(sessionId, (this.readers.get(sessionId) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (isHeld) {
        const left = (this.readers.get(sessionId) ?? 1) - 1;
        if (left > 0) this.readers.set(sessionId, left);
        else this.readers.delete(sessionId);
      }
      isHeld = false;
      const record = this.known.get(sessionId);
      if (record) this.usedAt.set(record, this.now());
    };
  }

  /**
   * Notes that a session is about to begin, until the returned function is called.
   * @throws AcqError `capacity_exceeded` when there will be no room for it
   */
  beginOpen(openedBy: SessionClient, owner: string | undefined): () => void {
    this.sweep();
    if (this.shared) checkCount(this.opening, this.options);
    else this.choose(partyOf(openedBy, owner), this.opening + 1);
    if (owner !== undefined) this.checkOwn(owner);
    const open = { owner };
    this.opens.add(open);
    return () => void this.opens.delete(open);
  }

  /**
   * Adds a session that this instance has opened.
   * @param signal aborts when the client leaves, who then never learns of the session
   * @throws AcqError `capacity_exceeded`, `session_store_unavailable`; the reason of the signal
   */
  async add(record: SessionRecord, signal: AbortSignal): Promise<void> {
    const { maxSessions: total, maxSessionsPerOwner: perOwner = Number.POSITIVE_INFINITY } = this.options;
    try {
      // Without a store, there is no await between the end of others and the beginning of this one.
      const { shared } = this;
      if (shared && !record.isWarmUp) await shared.add(record, { ttlMs: record.ttlSeconds * 1000, total, perOwner });
      else if (!record.isWarmUp) this.makeRoom(partyFor(record));
    } catch (error) {
      this.onEnd(record, false);
      throw error;
    }
    if (!signal.aborted) {
      record.expiresAt = this.now() + record.ttlSeconds * 1000;
      this.known.set(record.id, record);
      return;
    }
    this.onEnd(record, true);
    await this.storeOf(record)?.remove(record.id).catch(this.report);
    throw signal.reason;
  }

  /**
   * Asks the store for a session, so that `find` knows what is true at this moment. Returns nothing when it has ended.
   * @throws AcqError `session_store_unavailable`
   */
  async enter(sessionId: string): Promise<SessionRecord | undefined> {
    const before = this.known.get(sessionId);
    if (!this.shared || before?.isWarmUp) {
      if (!before || this.isLive(before)) return before;
      this.end(before);
      return undefined;
    }
    const stored = await this.shared.store.find(sessionId);
    const known = this.known.get(sessionId);
    if (!stored) {
      if (known) this.end(known);
      return undefined;
    }
    const expiresAt = this.now() + stored.remainingMs;
    if (known) {
      known.expiresAt = expiresAt;
      return known;
    }
    const record = this.shared.parse(sessionId, stored, expiresAt);
    if (record) this.known.set(sessionId, record);
    return record;
  }

  /** True for a session of any API that has not ended. */
  has(sessionId: string): boolean {
    const record = this.known.get(sessionId);
    return record !== undefined && this.isLive(record);
  }

  /** Finds a session that has not expired yet, whether or not the sweep has run. @throws AcqError `session_not_found` */
  find(sessionId: string, api: SessionApi = 'v2'): SessionRecord {
    const record = this.known.get(sessionId);
    if (record?.api === api && this.isLive(record)) {
      this.usedAt.set(record, this.now());
      return record;
    }
    if (record && !this.shared && !this.isLive(record)) this.end(record);
    throw this.ended.has(sessionId) ? endedForOthers(this.options.maxSessions) : sessionNotFound();
  }

  /** @throws AcqError `session_not_found`, `session_store_unavailable` */
  async renew(sessionId: string): Promise<SessionRecord> {
    const record = this.find(sessionId);
    const ttlMs = record.ttlSeconds * 1000;
    const store = this.storeOf(record);
    const renewed = store ? await store.renew(sessionId, ttlMs) : { remainingMs: ttlMs };
    if (!renewed) {
      this.end(record);
      throw sessionNotFound();
    }
    record.expiresAt = this.now() + renewed.remainingMs;
    return record;
  }

  /** @throws AcqError `session_not_found`, `session_store_unavailable` */
  async remove(sessionId: string, api?: SessionApi): Promise<void> {
    const record = this.find(sessionId, api);
    const store = this.storeOf(record);
    const isRemoved = !store || (await store.remove(sessionId));
    this.end(record);
    if (!isRemoved) throw sessionNotFound();
  }

  /** Ends a session of any API. Returns false when it has ended already. */
  async removeAny(sessionId: string, isTakenBack = false): Promise<boolean> {
    const record = this.known.get(sessionId);
    if (!record || !this.isLive(record)) return false;
    const store = this.storeOf(record);
    const isRemoved = !store || (await store.remove(sessionId));
    this.end(record, isTakenBack);
    return isRemoved;
  }

  /** Ends sessions that have expired. Of a store that instances share, another one may have renewed them. */
  sweep(): void {
    for (const record of this.known.values()) {
      if (this.isLive(record)) continue;
      if (this.storeOf(record)) this.enter(record.id).catch(this.report);
      else this.end(record);
    }
  }

  /**
   * Finds out whether a session has ended, also in another instance. The store is asked when the session has expired, or
   * when it `mayAsk`.
   */
  async check(record: SessionRecord, mayAsk: boolean): Promise<void> {
    const hasExpired = !this.isLive(record);
    if (!this.storeOf(record)) {
      if (hasExpired) this.end(record);
    } else if (hasExpired || mayAsk) await this.enter(record.id);
  }

  /** Forgets all sessions; those of a store that instances share live on. */
  async close(): Promise<void> {
    for (const record of this.known.values()) this.end(record);
    await this.shared?.store.close();
  }

  private isLive({ expiresAt }: SessionRecord): boolean {
    return this.now() < expiresAt;
  }

  private storeOf({ isWarmUp }: SessionRecord): SharedSessions['store'] | undefined {
    return isWarmUp ? undefined : this.shared?.store;
  }

  private makeRoom(party: string): void {
    this.sweep();
    for (const victim of this.choose(party, 1)) {
      this.noteEnded(victim.id);
      this.end(victim);
    }
  }

  private end(record: SessionRecord, isTakenBack = false): void {
    if (!this.known.delete(record.id)) return;
    this.onEnd(record, isTakenBack);
  }

  private noteEnded(sessionId: string): void {
    this.ended.add(sessionId);
    for (const oldest of this.ended) {
      if (this.ended.size <= MAX_REMEMBERED) break;
      this.ended.delete(oldest);
    }
  }

  /** @throws AcqError `capacity_exceeded` when an owner opens too much */
  private checkOwn(owner: string): void {
    const { maxSessionsPerOwner = Infinity, opensPerOwner = Infinity } = this.options;
    const opening = [...this.opens].filter((open) => open.owner === owner).length;
    if (opening >= opensPerOwner) {
      const message = `${plural(opensPerOwner, 'file')} of yours are being opened, the limit (--opens-per-owner). Try again in a few seconds.`;
      throw new AcqError('capacity_exceeded', message);
    }
    // Those of a shared store may have ended elsewhere: the store counts them.
    const open = this.shared ? 0 : this.counted.filter((record) => record.owner === owner).length;
    checkOwnCount(open + opening, { maxSessionsPerOwner });
  }

  /**
   * Chooses the sessions that end so that `count` others can begin: those of the largest party, if it has more than its share
   * and than the party that asks, else those of the latter; of these, the ones that were used longest ago. Sessions of users
   * stay, and those that a request is about.
   * @throws AcqError `capacity_exceeded`
   */
  private choose(party: string, count: number): SessionRecord[] {
    const { maxSessions: max } = this.options;
    const records = this.counted;
    let missing = records.length + count - max;
    if (missing <= 0) return [];
    const chosen = new Set<SessionRecord>();
    const sizes = new Map([[party, 0]]);
    for (const record of records) sizes.set(partyFor(record), (sizes.get(partyFor(record)) ?? 0) + 1);
    const share = Math.floor(max / sizes.size);
    const idle = records.filter(({ id, owner }) => owner === undefined && !this.readers.has(id));
    const leastRecent = idle.sort((a, b) => this.usedLast(a) - this.usedLast(b));
    for (; missing > 0; missing--) {
      const victim = this.nextVictim(
        leastRecent.filter((record) => !chosen.has(record)),
        party,
        sizes,
        share,
      );
      if (!victim) checkCount(max, { maxSessions: max });
      else {
        chosen.add(victim);
        sizes.set(partyFor(victim), sizes.get(partyFor(victim))! - 1);
      }
    }
    return [...chosen];
  }

  private nextVictim(
    candidates: readonly SessionRecord[],
    party: string,
    sizes: ReadonlyMap<string, number>,
    share: number,
  ): SessionRecord | undefined {
    const sizeOf = (record: SessionRecord) => sizes.get(partyFor(record)) ?? 0;
    const limit = Math.max(share, sizes.get(party) ?? 0);
    const [largest] = candidates.filter((record) => sizeOf(record) > limit).sort((a, b) => sizeOf(b) - sizeOf(a));
    if (largest) return largest;
    const own = candidates.find((record) => partyFor(record) === party);
    return own && this.now() - this.usedLast(own) > RECENT_MS ? own : undefined;
  }

  private usedLast(record: SessionRecord): number {
    return this.usedAt.get(record) ?? record.openedAt;
  }
}

function partyFor({ openedBy, owner }: SessionRecord): string {
  return partyOf(openedBy, owner);
}
