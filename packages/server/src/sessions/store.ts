import type { Fingerprint } from '../platform-node/file-source.js';
import type { SessionRecord } from './record.js';

/** What instances share about a session: plain JSON. */
export interface StoredRecord
  extends Omit<SessionRecord, 'content' | 'fingerprints' | 'expiresAt' | 'isWarmUp' | 'elsewhere' | 'askedAt'> {
  /** Names a start of an instance. */
  madeBy: string;
}

export interface StoredSession {
  /** What the store has, unchecked: see `parseRecord`. */
  record: unknown;
  /** Milliseconds until the session expires. Clocks of instances may differ; only the store knows the time. */
  remainingMs: number;
}

export interface SessionLimits {
  /** Life of the session in milliseconds. */
  ttlMs: number;
  /** Max sessions of all owners, and of each. */
  total: number;
  perOwner: number;
}

/**
 * The sessions of all instances that share the store. Expired sessions are not there. Every method throws
 * `session_store_unavailable` when the store does not answer.
 */
export interface SessionStore {
  /** @throws AcqError `capacity_exceeded` */
  add(record: StoredRecord, files: readonly Fingerprint[], limits: SessionLimits): Promise<void>;
  find(id: string): Promise<StoredSession | undefined>;
  /** Returns the files that the open request has read, unchecked: see `parseFiles`. Needed only to decode a plane elsewhere. */
  files(id: string): Promise<unknown>;
  /** Starts the life of a session again. Returns nothing when it has ended. */
  renew(id: string, ttlMs: number): Promise<StoredSession | undefined>;
  /** Returns false when the session has ended before. */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}
