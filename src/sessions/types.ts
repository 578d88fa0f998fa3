import type { OpenResponse } from '../contract/open.js';
import type { DeleteResult, SessionStatus } from '../contract/session.js';
import type { OpenChoice } from '../describe.js';
import type { PinnedPlane } from '../planes/plane-cache.js';

/** What the HTTP routes need of sessions; knows nothing of HTTP. Every method throws AcqError. */
export interface SessionService {
  /** Opens and decodes; resolves when every plane asked for is in memory. */
  open(request: OpenSessionRequest): Promise<OpenResponse>;
  status(sessionId: string): SessionStatus;
  /** Starts the time-to-live again. */
  renew(sessionId: string): SessionStatus;
  delete(sessionId: string): DeleteResult;
  /** Size in bytes of a plane, without decoding anything: for HEAD. */
  planeLength(address: SessionPlane): number;
  /**
   * The plane, decoded again when it was dropped from memory. It stays valid, also when the session ends, until the
   * caller releases it; it counts against the memory budget as long.
   * @throws AcqError `session_not_found`, `channel_not_found`, `reference_channel_not_found`, `source_changed`, …
   */
  plane(address: SessionPlane, signal?: AbortSignal): Promise<PinnedPlane>;
  /**
   * Resolves when files can be opened.
   * @throws AcqError `capacity_exceeded`, `internal_error` when nothing can be decoded
   */
  ready(): Promise<void>;
  /**
   * Ends every session and stops what is being decoded, workers included.
   * @returns whether every thread has ended: one that hangs in the system has not, and would keep the process
   */
  close(): Promise<boolean>;
}

export interface OpenSessionRequest {
  /** Absolute, `~` already expanded. */
  path: string;
  options: OpenChoice;
  /** The user chose it in the native dialog: roots do not confine it. */
  picked: boolean;
  /** The client left: the decode stops. */
  signal?: AbortSignal;
}

export interface SessionPlane {
  sessionId: string;
  kind: 'channel' | 'reference';
  channelIndex: number;
}
