/** The sessions that this instance knows: those it opened, and those of other instances that clients have asked it for. */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { endedForOthers, sessionNotFound } from './answers.js';
import { checkCount } from './limits.js';
import { partyOf } from './party.js';
import type { SessionRecord } from './record.js';
import type { SessionLimits, SessionStore, StoredRecord } from './store.js';
import { parseFiles, parseRecord } from './stored-record.js';
import { SessionTable } from './table.js';
import type { SessionApi, SessionEnd } from './types.js';

/** Sessions of which it is remembered that their records were reported. */
const MAX_REPORTED = 1_000;

export interface RegistryOptions {
  store: SessionStore;
  /** Returns milliseconds since 1970; the value never decreases. */
  now: () => number;
  maxSessions: number;
  /** Frees what this instance holds for a session. */
  onEnd: (record: SessionRecord) => void;
  /** Receives errors that no request is told about. */
  report: (error: unknown) => void;
}

export class SessionRegistry {
  readonly store: SessionStore;
  private readonly options: RegistryOptions;
  private readonly instance = randomBytes(8).toString('hex');
  private readonly known = new Map<string, SessionRecord>();
  private readonly table: SessionTable;
  /** Sessions whose records in the store were reported. */
  private readonly reported = new Set<string>();
  /** Sessions that the store is admitting. */
  private adding = 0;
  /** What to call when sessions of private files end. */
  private readonly ends = new Map<string, SessionEnd>();
  /** Sessions whose files are being read from the store. */
  private readonly loading = new WeakMap<SessionRecord, Promise<void>>();

  constructor(options: RegistryOptions) {
    this.options = options;
    this.store = options.store;
    this.table = new SessionTable(options.now);
  }

  /** The sessions known here, in the order in which they became known. */
  get records(): SessionRecord[] {
    return [...this.known.values()];
  }

  /** The sessions of clients that are known here. */
  get counted(): SessionRecord[] {
    return this.records.filter(({ isWarmUp }) => !isWarmUp);
  }

  /** Returns the sessions of an owner. Those of a shared store may have ended elsewhere: the store counts them. */
  countOf(owner: string): number {
    return this.store.isShared ? 0 : this.counted.filter((record) => record.owner === owner).length;
  }

  /** Keeps a session from being ended for others until the returned function is called. */
  hold(sessionId: string): () => void {
    const release = this.table.hold(sessionId);
    return () => {
      release();
      const record = this.known.get(sessionId);
      if (record) this.table.touch(record);
    };
  }

  /**
   * Checks whether there will be room for one more session.
   * @param opening sessions that are about to begin
   * @throws AcqError `capacity_exceeded`
   */
  checkRoom(party: string, opening: number): void {
    const { maxSessions: max } = this.options;
    this.sweep();
    if (this.store.isShared) checkCount(opening, { maxSessions: max });
    else this.table.choose(this.counted, { party, count: opening + 1, max });
  }

  /**
   * Adds a session that this instance has opened.
   * @param isWanted asked when the store has it: a client that has left never learns of its session
   * @throws AcqError `capacity_exceeded`, `session_store_unavailable`
   */
  async add(record: SessionRecord, limits: SessionLimits, isWanted: () => boolean): Promise<boolean> {
    try {
      await this.admit(record, limits);
    } catch (error) {
      this.options.onEnd(record);
      throw error;
    }
    if (isWanted()) {
      record.expiresAt = this.options.now() + limits.ttlMs;
      this.known.set(record.id, record);
      return true;
    }
    this.options.onEnd(record);
    await this.store.remove(record.id).catch(this.options.report);
    return false;
  }

  /** Adds a session to the store, without an await between the end of others and its own beginning. */
  private async admit(record: SessionRecord, limits: SessionLimits): Promise<void> {
    if (record.isWarmUp) return;
    if (!this.store.isShared) this.makeRoom(partyOf(record.openedBy, record.owner), limits.total);
    this.adding++;
    try {
      await this.store.add(this.toStored(record), record.fingerprints, limits);
    } finally {
      this.adding--;
    }
  }

  private makeRoom(party: string, max: number): void {
    this.sweep();
    for (const victim of this.table.choose(this.counted, { party, count: this.adding + 1, max })) {
      this.table.noteEnded(victim.id);
      this.store.remove(victim.id).catch(this.options.report);
      this.end(victim);
    }
  }

  /** Calls `end` when a session has ended. */
  onEndOf(sessionId: string, end: SessionEnd): void {
    this.ends.set(sessionId, end);
  }

  /**
   * Asks the store for a session, so that `find` knows what is true at this moment. Returns nothing when it has ended.
   * @throws AcqError `session_store_unavailable`
   */
  async enter(sessionId: string): Promise<SessionRecord | undefined> {
    const before = this.known.get(sessionId);
    if (before?.isWarmUp) return before;
    const stored = await this.store.find(sessionId);
    const known = this.known.get(sessionId);
    if (!stored) {
      if (known) this.end(known);
      return undefined;
    }
    const expiresAt = this.options.now() + stored.remainingMs;
    if (known) {
      known.expiresAt = expiresAt;
      return known;
    }
    const checked = parseRecord(stored.record);
    if (!checked) {
      this.reportBad(sessionId);
      return undefined;
    }
    const { madeBy, ...facts } = checked;
    // Planes of other instances' sessions are shared with nobody: their files have not been compared here.
    const content = `elsewhere.${sessionId}`;
    const record: SessionRecord = {
      ...facts,
      content,
      fingerprints: [],
      isWarmUp: false,
      expiresAt,
      elsewhere: madeBy,
    };
    this.known.set(sessionId, record);
    return record;
  }

  /** True for a session of any API that has not ended. */
  has(sessionId: string): boolean {
    const record = this.known.get(sessionId);
    return record !== undefined && this.options.now() < record.expiresAt;
  }

  /** Finds a session that has not expired yet, whether or not the sweep has run. @throws AcqError `session_not_found` */
  find(sessionId: string, api: SessionApi = 'v2'): SessionRecord {
    const record = this.known.get(sessionId);
    if (record?.api === api && this.options.now() < record.expiresAt) {
      this.table.touch(record);
      return record;
    }
    if (record && !this.store.isShared && this.options.now() >= record.expiresAt) this.end(record);
    throw this.table.wasEnded(sessionId) ? endedForOthers(this.options.maxSessions) : sessionNotFound();
  }

  /** @throws AcqError `session_not_found`, `session_store_unavailable` */
  async renew(sessionId: string): Promise<SessionRecord> {
    const record = this.find(sessionId);
    const ttlMs = record.ttlSeconds * 1000;
    const renewed = record.isWarmUp ? { remainingMs: ttlMs } : await this.store.renew(sessionId, ttlMs);
    if (!renewed) {
      this.end(record);
      throw sessionNotFound();
    }
    record.expiresAt = this.options.now() + renewed.remainingMs;
    return record;
  }

  /** @throws AcqError `session_not_found`, `session_store_unavailable` */
  async remove(sessionId: string, api?: SessionApi): Promise<void> {
    const record = this.find(sessionId, api);
    const isRemoved = record.isWarmUp || (await this.store.remove(sessionId));
    this.end(record);
    if (!isRemoved) throw sessionNotFound();
  }

  /** Ends a session of any API. Returns false when it has ended already. */
  async removeAny(sessionId: string, isTakenBack = false): Promise<boolean> {
    const record = this.known.get(sessionId);
    if (!record || this.options.now() >= record.expiresAt) return false;
    const isRemoved = await this.store.remove(sessionId);
    this.end(record, isTakenBack);
    return isRemoved;
  }

  /**
   * Reads the list of files of a session that another instance has opened, once.
   * @throws AcqError `session_not_found`, `session_store_unavailable`, `source_changed` for a file that is only there
   */
  async loadFiles(record: SessionRecord): Promise<void> {
    if (record.elsewhere === undefined || record.fingerprints.length > 0) return;
    if (record.isUpload) throw sentElsewhere(record);
    const loading = this.loading.get(record) ?? this.load(record);
    this.loading.set(record, loading);
    try {
      await loading;
    } finally {
      this.loading.delete(record);
    }
  }

  /** Ends sessions that have expired. Of a store that instances share, another one may have renewed them. */
  sweep(): void {
    const now = this.options.now();
    for (const record of this.known.values()) {
      if (record.expiresAt > now) continue;
      if (this.isShared(record)) this.enter(record.id).catch(this.options.report);
      else this.end(record);
    }
  }

  /**
   * Finds out whether a session has ended, also in another instance. The store is asked when the session has expired, or
   * when it `mayAsk`.
   */
  async check(record: SessionRecord, mayAsk: boolean): Promise<void> {
    const hasExpired = this.options.now() >= record.expiresAt;
    if (!this.isShared(record)) {
      if (hasExpired) this.end(record);
    } else if (hasExpired || mayAsk) await this.enter(record.id);
  }

  /** Forgets all sessions; those of a store that instances share live on. */
  async close(): Promise<void> {
    for (const record of this.known.values()) this.end(record);
    await this.store.close();
  }

  private isShared({ isWarmUp }: SessionRecord): boolean {
    return this.store.isShared && !isWarmUp;
  }

  private async load(record: SessionRecord): Promise<void> {
    const files = await this.store.files(record.id);
    const checked = parseFiles(files);
    if (!checked) {
      if (files !== undefined) this.reportBad(record.id);
      throw sessionNotFound();
    }
    record.fingerprints.push(...checked.map((file) => ({ ...file, isElsewhere: true })));
  }

  /** Reports once that what the store has for a session is not what an instance wrote. */
  private reportBad(sessionId: string): void {
    if (this.reported.has(sessionId)) return;
    if (this.reported.size >= MAX_REPORTED) this.reported.clear();
    this.reported.add(sessionId);
    const start = sessionId.slice(0, 8);
    this.options.report(new Error(`the session store has a record of ${start}… that no instance wrote; it is ignored`));
  }

  private end(record: SessionRecord, isTakenBack = false): void {
    if (!this.known.delete(record.id)) return;
    this.ends.get(record.id)?.(isTakenBack);
    this.ends.delete(record.id);
    this.options.onEnd(record);
  }

  private toStored(record: SessionRecord): StoredRecord {
    const {
      content: _content,
      fingerprints: _files,
      expiresAt: _expiry,
      isWarmUp: _warm,
      askedAt: _asked,
      elsewhere,
      ...facts
    } = record;
    return { ...facts, madeBy: elsewhere ?? this.instance };
  }
}

function sentElsewhere({ description }: SessionRecord): AcqError {
  return new AcqError(
    'source_changed',
    'was sent to another instance of this server, which alone has the file and does not answer. Send the file again.',
    { subject: basename(description.source.name) },
  );
}
