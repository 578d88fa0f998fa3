import type { Fingerprint } from '../platform-node/file-source.js';
import { checkCount, checkOwnCount } from './limits.js';
import type { SessionLimits, SessionStore, StoredRecord, StoredSession } from './store.js';

interface Kept {
  record: StoredRecord;
  files: readonly Fingerprint[];
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Sessions in the memory of this process. */
export class MemoryStore implements SessionStore {
  readonly isShared = false;
  private readonly now: () => number;
  private readonly kept = new Map<string, Kept>();

  /** @param now returns milliseconds that never decrease */
  constructor(now: () => number) {
    this.now = now;
  }

  async add(record: StoredRecord, files: readonly Fingerprint[], limits: SessionLimits): Promise<void> {
    this.sweep();
    checkCount(this.kept.size, { maxSessions: limits.total });
    const { owner } = record;
    if (owner !== undefined) {
      const own = [...this.kept.values()].filter((kept) => kept.record.owner === owner).length;
      checkOwnCount(own, { maxSessionsPerOwner: limits.perOwner });
    }
    this.kept.set(record.id, { record, files, expiresAt: this.now() + limits.ttlMs });
  }

  async find(id: string): Promise<StoredSession | undefined> {
    const kept = this.live(id);
    return kept && { record: kept.record, remainingMs: kept.expiresAt - this.now() };
  }

  async files(id: string): Promise<readonly Fingerprint[] | undefined> {
    return this.live(id)?.files;
  }

  async renew(id: string, ttlMs: number): Promise<StoredSession | undefined> {
    const kept = this.live(id);
    if (!kept) return undefined;
    kept.expiresAt = this.now() + ttlMs;
    return { record: kept.record, remainingMs: ttlMs };
  }

  async remove(id: string): Promise<boolean> {
    const isLive = this.live(id) !== undefined;
    this.kept.delete(id);
    return isLive;
  }

  async close(): Promise<void> {
    this.kept.clear();
  }

  private live(id: string): Kept | undefined {
    const kept = this.kept.get(id);
    return kept && this.now() < kept.expiresAt ? kept : undefined;
  }

  private sweep(): void {
    const now = this.now();
    for (const [id, { expiresAt }] of this.kept) if (expiresAt <= now) this.kept.delete(id);
  }
}
