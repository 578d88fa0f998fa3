/** One acquisition that clients follow: looked at once for all of them. */
import { createHash } from 'node:crypto';
import { firstAndLast, type SeenFile, type SeenFolder, type Sight, type WatchRequest } from '../paths/watch-files.js';
import { type Fingerprint, isSameFingerprint } from '../platform-node/file-source.js';
import type { SessionRecord } from './record.js';

/** Why nothing more is told about a session. `stopped`: the server stops. */
export type FollowEnd = 'deleted' | 'expired' | 'stopped';

/** Who is told what happens to the files of a session. */
export interface Follower {
  /** Called first. @param revision `source.revision` while the files are as they were opened; null when the storage does not answer */
  onState(revision: string | null): void;
  onChange(revision: string): void;
  /** Called last. */
  onEnd(reason: FollowEnd): void;
}

export interface WatchOptions {
  look: (request: WatchRequest, record: SessionRecord) => Promise<Sight>;
  /** Finds out whether a session has ended; in a store that instances share when it `mayAsk`. */
  check: (record: SessionRecord, mayAsk: boolean) => Promise<void>;
}

/** Milliseconds from one look to the next. */
const LOOK_MS = 1_000;
/** Looks between two questions to the store whether another instance has ended a session. */
const LOOKS_PER_QUESTION = 5;

interface FollowedSession {
  record: SessionRecord;
  followers: Set<Follower>;
  /** What the folders were like when nothing had happened since the open. */
  unchanged?: string;
  /** Nothing before the first look. */
  revision?: string | null;
}

export class FileWatch {
  private readonly path: string;
  private readonly options: WatchOptions;
  private readonly onIdle: () => void;
  private readonly sessions = new Map<string, FollowedSession>();
  private seen: readonly SeenFolder[] = [];
  private looks = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param onIdle called when nobody follows any more, and the next look would be due */
  constructor(path: string, options: WatchOptions, onIdle: () => void) {
    this.path = path;
    this.options = options;
    this.onIdle = onIdle;
    void this.look();
  }

  /** Tells a follower now what is known already, or after the next look. */
  add(record: SessionRecord, follower: Follower): void {
    const followed = this.sessions.get(record.id) ?? { record, followers: new Set() };
    this.sessions.set(record.id, followed);
    followed.followers.add(follower);
    if (followed.revision !== undefined) follower.onState(followed.revision);
  }

  delete({ id }: SessionRecord, follower: Follower): void {
    const followed = this.sessions.get(id);
    followed?.followers.delete(follower);
    if (followed?.followers.size === 0) this.sessions.delete(id);
  }

  /** Returns those who follow a session, and forgets them. */
  take(sessionId: string): readonly Follower[] {
    const followers = this.sessions.get(sessionId)?.followers;
    const taken = [...(followers ?? [])];
    // A look may be under way for them.
    followers?.clear();
    this.sessions.delete(sessionId);
    return taken;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sessions.clear();
  }

  private async look(): Promise<void> {
    const began = performance.now();
    // Whoever makes the watch adds the first follower.
    await Promise.resolve();
    await this.checkSessions();
    const asked = [...this.sessions.values()];
    const [first] = asked;
    if (!first) return this.onIdle();
    const sight = await this.options.look(this.toRequest(asked), first.record).catch(() => undefined);
    if (sight) this.seen = [...sight.folders, ...(sight.shared ? [sight.shared] : [])];
    for (const followed of asked) this.tell(followed, sight);
    this.timer = setTimeout(() => void this.look(), LOOK_MS - (performance.now() - began));
    this.timer.unref();
  }

  private async checkSessions(): Promise<void> {
    const mayAsk = ++this.looks % LOOKS_PER_QUESTION === 0;
    const records = [...this.sessions.values()].map(({ record }) => record);
    // A store that does not answer is reported by the requests that need it.
    await Promise.all(records.map((record) => this.options.check(record, mayAsk).catch(() => {})));
  }

  private toRequest(asked: readonly FollowedSession[]): WatchRequest {
    const files = new Set(asked.flatMap(({ record }) => firstAndLast(record.fingerprints).map(({ path }) => path)));
    return { path: this.path, files: [...files], isSet: asked.some(({ record }) => isSet(record)), seen: this.seen };
  }

  /** @param sight nothing when the storage does not answer: then what was told stays true */
  private tell(followed: FollowedSession, sight: Sight | undefined): void {
    const { followers, revision: before } = followed;
    const revision = sight ? this.revisionOf(followed, sight) : (before ?? null);
    if (revision === before) return;
    followed.revision = revision;
    for (const follower of followers) {
      if (before === undefined) follower.onState(revision);
      else follower.onChange(revision!);
    }
  }

  private revisionOf(followed: FollowedSession, sight: Sight): string {
    const { record } = followed;
    const changed = changedFiles(record, sight.files);
    const last = sight.shared && !isSet(record) ? withoutFilesOf(sight.shared, sight.last) : sight.last;
    const folders = digestOf([sight.folders.map(({ path, mtimeNs, entries }) => [path, mtimeNs, entries]), last]);
    const isFirst = typeof followed.revision !== 'string';
    // Files that came before the open were there for it.
    if (isFirst && !hasChangedSince(record, sight.folders, last)) followed.unchanged = folders;
    if (changed.length === 0 && folders === followed.unchanged) return record.revision;
    return digestOf([record.revision, changed, folders]);
  }
}

/** A set of files may grow by one more; a file that is alone has nothing to do with its neighbors. */
function isSet({ fingerprints }: SessionRecord): boolean {
  return fingerprints.length > 1;
}

function withoutFilesOf({ last }: SeenFolder, files: readonly SeenFile[]): SeenFile[] {
  return files.filter(({ path }) => !last.includes(path));
}

/** Returns the files of a session that are not as they were read. */
function changedFiles({ fingerprints }: SessionRecord, files: readonly SeenFile[]): SeenFile[] {
  const known = new Map<string, Fingerprint>(firstAndLast(fingerprints).map((one) => [one.path, one]));
  return files.filter(({ path, facts }) => {
    const before = known.get(path);
    if (!before) return false;
    return before.isAbsent ? facts !== undefined : !(facts && isSameFingerprint(before, { path, ...facts }));
  });
}

/** A time to come is that of another clock, and says nothing. */
function hasChangedSince(
  { askedAt, openedAt }: SessionRecord,
  folders: readonly SeenFolder[],
  files: readonly SeenFile[],
): boolean {
  const [from, to] = [askedAt ?? openedAt, Date.now()];
  const times = [...folders, ...files.flatMap(({ facts }) => facts ?? [])].map(({ mtimeNs }) => Number(mtimeNs) / 1e6);
  return times.some((time) => time > from && time <= to);
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
