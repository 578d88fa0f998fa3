/** The sessions in a store that instances share: whoever can write to it does not choose what this instance opens, and for whom. */
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AcqError, type ErrorCode } from '@acquisition-store/readers/base/errors.js';
import { confine, type PathPolicy } from '../paths/policy.js';
import { sessionNotFound } from './answers.js';
import type { SessionRecord } from './record.js';
import type { SessionLimits, SessionStore, StoredSession } from './store.js';
import { parseFiles, parseRecord } from './stored-record.js';

/** Sessions of which it is remembered that their records were reported. */
const MAX_REPORTED = 1_000;
/** Milliseconds to wait after files have changed. */
const PAUSE_MS = 1_000;
/** Codes of a path that may be opened, if it can be read. */
const ALLOWED: readonly ErrorCode[] = ['path_not_found', 'path_not_readable'];
const REFUSED: readonly ErrorCode[] = ['path_not_allowed', 'request_validation_failed', 'unsupported_format'];

export class SharedSessions {
  readonly store: SessionStore;
  private readonly instance = randomBytes(8).toString('hex');
  private readonly report: (error: unknown) => void;
  /** Sessions whose records in the store were reported. */
  private readonly reported = new Set<string>();
  /** Sessions whose files are being read from the store. */
  private readonly loading = new WeakMap<SessionRecord, Promise<void>>();

  /** @param report receives errors that no request is told about */
  constructor(store: SessionStore, report: (error: unknown) => void) {
    this.store = store;
    this.report = report;
  }

  /** @throws AcqError `capacity_exceeded`, `session_store_unavailable` */
  add(record: SessionRecord, limits: SessionLimits): Promise<void> {
    const {
      content: _content,
      fingerprints,
      expiresAt: _expiry,
      isWarmUp: _warm,
      askedAt: _asked,
      elsewhere,
      ...facts
    } = record;
    // Files are not identified across machines.
    const files = fingerprints.map(({ birthNs: _, ...file }) => file);
    return this.store.add({ ...facts, madeBy: elsewhere ?? this.instance }, files, limits);
  }

  /** Returns the session that another instance has put into the store; nothing for what no instance wrote. */
  parse(sessionId: string, stored: StoredSession, expiresAt: number): SessionRecord | undefined {
    const checked = parseRecord(stored.record);
    if (!checked) {
      this.reportBad(sessionId);
      return undefined;
    }
    const { madeBy, ...facts } = checked;
    // Planes of other instances' sessions are shared with nobody: their files have not been compared here.
    const content = `elsewhere.${sessionId}`;
    return { ...facts, content, fingerprints: [], isWarmUp: false, expiresAt, elsewhere: madeBy };
  }

  /**
   * Reads the list of files of a session that another instance has opened, once.
   * @throws AcqError `session_not_found`, `session_store_unavailable`, `source_changed` for a file that is only there
   */
  async loadFiles(record: SessionRecord): Promise<void> {
    if (record.fingerprints.length > 0) return;
    if (record.isUpload) throw sentElsewhere(record);
    const loading = this.loading.get(record) ?? this.load(record);
    this.loading.set(record, loading);
    try {
      await loading;
    } finally {
      this.loading.delete(record);
    }
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
    this.report(new Error(`the session store has a record of ${start}… that no instance wrote; it is ignored`));
  }
}

/** Whether the files that records in the store name may be opened here. */
export class Places {
  private readonly policy: PathPolicy;
  private readonly locate: (record: SessionRecord, policy: PathPolicy) => Promise<unknown>;
  private readonly report: (error: unknown) => void;
  private readonly known = new WeakMap<SessionRecord, { key: string; policy: PathPolicy; answer: Promise<boolean> }>();

  /** @param locate looks the path of a session up, as an open does */
  constructor(policy: PathPolicy, locate: Places['locate'], report: (error: unknown) => void) {
    this.policy = policy;
    this.locate = locate;
    this.report = report;
  }

  /**
   * True when a user may open the file of a session of another instance; asked once for each session and the folders of its
   * user. The file of an upload is opened by the instance alone that has it.
   * @throws AcqError `storage_unavailable`, `load_timeout`
   */
  async allows(record: SessionRecord, folders: readonly string[] | undefined): Promise<boolean> {
    if (record.isUpload) return true;
    const key = JSON.stringify(folders ?? null);
    let known = this.known.get(record);
    if (known?.key !== key) {
      const policy = confine(this.policy, folders ? { folders } : {});
      known = { key, policy, answer: this.look(record, policy) };
      this.known.set(record, known);
      known.answer.catch(() => this.known.delete(record));
    }
    return known.answer;
  }

  /** Returns the policy of the user who asked for a session last. */
  policyOf(record: SessionRecord): PathPolicy {
    return this.known.get(record)?.policy ?? this.policy;
  }

  private async look(record: SessionRecord, policy: PathPolicy): Promise<boolean> {
    try {
      await this.locate(record, policy);
      return true;
    } catch (error) {
      const code = error instanceof AcqError ? error.code : 'internal_error';
      if (ALLOWED.includes(code)) return true;
      if (!REFUSED.includes(code)) throw error;
      this.report(
        new Error(`the session ${record.id.slice(0, 8)}… of another instance is of a file that may not be opened here`),
      );
      return false;
    }
  }
}

/** Runs `work` again when files have changed: another machine may see a change a moment earlier or later. */
export async function withSecondTry<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AcqError) || error.code !== 'source_changed') throw error;
    await setTimeout(PAUSE_MS, undefined, { signal });
    return work();
  }
}

function sentElsewhere({ description }: SessionRecord): AcqError {
  return new AcqError(
    'source_changed',
    'was sent to another instance of this server, which alone has the file and does not answer. Send the file again.',
    { subject: basename(description.source.name) },
  );
}
