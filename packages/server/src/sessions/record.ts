import type { OpenPlan } from '@acquisition-store/client/answers/describe.js';
import type { OpenDescription } from '@acquisition-store/client/contract/open.js';
import type { Who } from '../fair-line.js';
import type { PlaneUser } from '../planes/claims.js';
import type { Fingerprint } from '../platform-node/file-source.js';
import type { SessionApi, SessionClient } from './types.js';

/**
 * A session without its pixels: plain JSON, and enough to decode each of its planes again, even in another process.
 * Planes are cached separately and may be dropped at any time.
 */
export interface SessionRecord extends Pick<OpenPlan, 'scene' | 't' | 'z' | 'planes' | 'projection' | 'reference'> {
  id: string;
  api: SessionApi;
  /** Real absolute path of the acquisition. */
  path: string;
  /** Id of the acquisition in the state that the session shows; sessions with an equal one share planes. */
  content: string;
  /**
   * Fingerprints of all files of the content that were read so far, by any of its sessions. Of a session of another instance,
   * they are read from the store when they are first needed.
   */
  fingerprints: Fingerprint[];
  /** With a store that instances share: digest of the first bytes of the main file. */
  head?: string;
  /** The file is one that a client has sent, and is only here. */
  isUpload?: boolean;
  /** The instance that opened the file, when it is another one or an earlier start of this one. */
  elsewhere?: string;
  /** Identifies the files that were read by the open request, in their state at that time. */
  revision: string;
  /** The planes of the open request were decoded by it: all files that they need are in `fingerprints`. */
  isDecoded: boolean;
  /** The answer to the open request, without the session. */
  description: OpenDescription;
  /** Does not count against the limit of sessions. */
  isWarmUp: boolean;
  openedBy: SessionClient;
  /** On a server with users: the one who may use the session. */
  owner?: string;
  /** When the open began, by the clock that files are stamped with. Only of sessions that were opened here. */
  askedAt?: number;
  /** Milliseconds since 1970. */
  openedAt: number;
  /** Life from the open, or the last renewal. */
  ttlSeconds: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Opens without a caller are those of this process itself. */
export const PROGRAM: SessionClient = { kind: 'program', origin: undefined };

/**
 * Returns the name of those who compete for the server as one: a user on a server with users, else the pages of an origin,
 * or all programs.
 */
export function partyOf({ kind, origin }: SessionClient, owner?: string): string {
  if (owner !== undefined) return `user ${owner}`;
  if (kind === 'program') return 'programs';
  return kind === 'own-page' ? 'pages of this server' : `pages of ${origin}`;
}

/** Returns who reads a plane of a session. */
export function readerOf({ id, owner }: SessionRecord, signal?: AbortSignal): PlaneUser {
  return { claimant: id, owner, signal };
}

/** Returns whose work the work of a session is. */
export function whoOf({
  id,
  openedBy,
  owner,
}: Pick<SessionRecord, 'id' | 'openedBy'> & { owner?: string | undefined }): Who {
  return { party: partyOf(openedBy, owner), session: id };
}

/** True when clients can step through planes of a session, in time or depth. */
export function isStack({ projection, description }: SessionRecord): boolean {
  const { T = 1, Z = 1 } = description.header.sizes;
  return projection === undefined && (T > 1 || Z > 1);
}
