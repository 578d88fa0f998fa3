/** Which sessions are in use, and which of them end so that others can begin. */
import { checkCount } from './limits.js';
import { partyOf } from './party.js';
import type { SessionRecord } from './record.js';

/** A party does not lose a session that was used within this time to another session of its own. */
export const RECENT_MS = 10_000;
/** Sessions that are remembered after they were ended to make room. */
const MAX_REMEMBERED = 10_000;

/** Who wants room. */
export interface RoomRequest {
  party: string;
  /** Sessions that are to begin. */
  count: number;
  /** Max sessions of all parties. */
  max: number;
}

export class SessionTable {
  private readonly now: () => number;
  private readonly usedAt = new WeakMap<SessionRecord, number>();
  /** Requests in progress about each session. */
  private readonly readers = new Map<string, number>();
  /** Ids of sessions that were ended to make room, the oldest first. */
  private readonly ended = new Set<string>();

  /** @param now returns milliseconds that never decrease */
  constructor(now: () => number) {
    this.now = now;
  }

  /** Notes that a request has found a session. */
  touch(record: SessionRecord): void {
    this.usedAt.set(record, this.now());
  }

  /** Keeps a session from being chosen until the returned function is called. */
  hold(sessionId: string): () => void {
    this.readers.set(sessionId, (this.readers.get(sessionId) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const left = (this.readers.get(sessionId) ?? 1) - 1;
      if (left > 0) this.readers.set(sessionId, left);
      else this.readers.delete(sessionId);
    };
  }

  /** True when a session has ended to make room, and that is not long ago. */
  wasEnded(sessionId: string): boolean {
    return this.ended.has(sessionId);
  }

  noteEnded(sessionId: string): void {
    this.ended.add(sessionId);
    for (const oldest of this.ended) {
      if (this.ended.size <= MAX_REMEMBERED) break;
      this.ended.delete(oldest);
    }
  }

  /**
   * Chooses the sessions that end so that others can begin: those of the largest party, if it has more than its share and
   * than the party that asks, else those of the latter; of these, the ones that were used longest ago. Sessions of users stay,
   * and those that a request is about.
   * @throws AcqError `capacity_exceeded`
   */
  choose(records: readonly SessionRecord[], { party, count, max }: RoomRequest): SessionRecord[] {
    const chosen = new Set<SessionRecord>();
    const sizes = new Map([[party, 0]]);
    for (const record of records) sizes.set(partyFor(record), (sizes.get(partyFor(record)) ?? 0) + 1);
    const share = Math.floor(max / sizes.size);
    const idle = records.filter(({ id, owner }) => owner === undefined && !this.readers.has(id));
    const leastRecent = idle.sort((a, b) => this.usedLast(a) - this.usedLast(b));
    for (let missing = records.length + count - max; missing > 0; missing--) {
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
