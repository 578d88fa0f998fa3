/** Who follows which acquisition. */
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { plural } from '@acquisition-store/readers/base/wording.js';
import { FileWatch, type FollowEnd, type Follower, type WatchOptions } from './file-watch.js';
import { partyOf, type SessionRecord, whoOf } from './record.js';
import type { SessionService } from './service.js';

/** Followers of everybody, and of one party. Each keeps a connection open. */
const MAX_FOLLOWERS = 256;
const MAX_PER_PARTY = 32;

/** Tells clients when files of sessions change, and that sessions have ended. */
export class Following {
  private readonly sessions: SessionService;
  private readonly options: WatchOptions;
  /** By path of the acquisition. */
  private readonly watches = new Map<string, FileWatch>();
  /** Followers by party. */
  private readonly parties = new Map<string, number>();
  private readonly all = new Map<Follower, SessionRecord>();
  private isStopped = false;

  constructor(sessions: SessionService) {
    const { closing, options } = sessions;
    this.sessions = sessions;
    this.options = {
      look: (request, record) => options.gate.lookups.run({ kind: 'watch', ...request }, closing, whoOf(record)),
      check: (record, mayAsk) => sessions.check(record, mayAsk),
    };
  }

  /** Number of those who follow. */
  get size(): number {
    return this.all.size;
  }

  /**
   * Tells `follower` what happens to the files of a session until the session ends, or the returned function is called. Does not
   * extend the life of the session.
   * @throws AcqError `session_not_found`, `source_changed`, `capacity_exceeded`, …
   */
  async follow(sessionId: string, follower: Follower): Promise<() => void> {
    await this.sessions.enter(sessionId);
    // It may have ended meanwhile.
    const record = this.sessions.find(sessionId);
    const party = partyOf(record.openedBy, record.owner);
    this.checkRoom(party);
    // Added with the first follower: nobody has to be told of sessions that end before.
    this.sessions.onEnd.add(this.end);
    this.parties.set(party, (this.parties.get(party) ?? 0) + 1);
    this.all.set(follower, record);
    this.watchOf(record.path).add(record, follower);
    return () => this.leave(record, follower);
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

  /** Tells the followers of a session that it has ended. */
  private readonly end = (record: SessionRecord, isExpired: boolean): void => {
    const reason: FollowEnd = isExpired ? 'expired' : 'deleted';
    for (const follower of this.watches.get(record.path)?.take(record.id) ?? []) {
      this.leave(record, follower);
      follower.onEnd(reason);
    }
  };

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
    if (this.isStopped) throw new AcqError('capacity_exceeded', 'The server is stopping.');
    if ((this.parties.get(party) ?? 0) >= MAX_PER_PARTY) {
      throw new AcqError(
        'capacity_exceeded',
        `You follow ${plural(MAX_PER_PARTY, 'session')} already, the limit of each user. End one, or try again later.`,
      );
    }
    if (this.all.size < MAX_FOLLOWERS) return;
    throw new AcqError(
      'capacity_exceeded',
      `The server is followed by ${plural(MAX_FOLLOWERS, 'client')} already, the limit. Try again later.`,
    );
  }
}
