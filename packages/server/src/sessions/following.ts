/** Who follows which acquisition. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { FileWatch, type WatchOptions } from './file-watch.js';
import type { SessionRecord } from './record.js';
import { partyOf } from './record.js';
import type { FollowEnd, Follower } from './types.js';

/** Followers of everybody, and of one party. Each keeps a connection open. */
const MAX_FOLLOWERS = 256;
const MAX_PER_PARTY = 32;

export interface FollowLimits {
  total: number;
  perParty: number;
}

export class Following {
  private readonly options: WatchOptions;
  private readonly limits: FollowLimits;
  /** By path of the acquisition. */
  private readonly watches = new Map<string, FileWatch>();
  /** Followers by party. */
  private readonly parties = new Map<string, number>();
  private readonly all = new Map<Follower, SessionRecord>();
  private isStopped = false;

  constructor(options: WatchOptions, limits: FollowLimits = { total: MAX_FOLLOWERS, perParty: MAX_PER_PARTY }) {
    this.options = options;
    this.limits = limits;
  }

  get size(): number {
    return this.all.size;
  }

  /**
   * Tells `follower` what happens to the files of a session until the session ends, or the returned function is called.
   * @throws AcqError `capacity_exceeded`
   */
  follow(record: SessionRecord, follower: Follower): () => void {
    const party = partyOf(record.openedBy, record.owner);
    this.checkRoom(party);
    this.parties.set(party, (this.parties.get(party) ?? 0) + 1);
    this.all.set(follower, record);
    this.watchOf(record.path).add(record, follower);
    return () => this.leave(record, follower);
  }

  /** Tells the followers of a session that it has ended. */
  end(record: SessionRecord, reason: FollowEnd): void {
    for (const follower of this.watches.get(record.path)?.take(record.id) ?? []) {
      this.leave(record, follower);
      follower.onEnd(reason);
    }
  }

  /** Tells everybody that the server stops. */
  stop(): void {
    this.isStopped = true;
    for (const [follower, record] of [...this.all]) {
      this.leave(record, follower);
      follower.onEnd('stopped');
    }
    for (const watch of this.watches.values()) watch.stop();
    this.watches.clear();
  }

  private leave(record: SessionRecord, follower: Follower): void {
    if (!this.all.delete(follower)) return;
    this.watches.get(record.path)?.delete(record, follower);
    const party = partyOf(record.openedBy, record.owner);
    const left = (this.parties.get(party) ?? 1) - 1;
    if (left > 0) this.parties.set(party, left);
    else this.parties.delete(party);
  }

  private watchOf(path: string): FileWatch {
    const known = this.watches.get(path);
    if (known) return known;
    const watch = new FileWatch(path, this.options, () => {
      if (this.watches.get(path) === watch) this.watches.delete(path);
    });
    this.watches.set(path, watch);
    return watch;
  }

  /** @throws AcqError `capacity_exceeded` */
  private checkRoom(party: string): void {
    const { total, perParty } = this.limits;
    if (this.isStopped) throw new AcqError('capacity_exceeded', 'The server is stopping.');
    if ((this.parties.get(party) ?? 0) >= perParty) {
      throw new AcqError(
        'capacity_exceeded',
        `You follow ${plural(perParty, 'session')} already, the limit of each user. End one, or try again later.`,
      );
    }
    if (this.all.size < total) return;
    throw new AcqError(
      'capacity_exceeded',
      `The server is followed by ${plural(total, 'client')} already, the limit. Try again later.`,
    );
  }
}
