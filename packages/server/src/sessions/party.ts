import type { SessionClient } from './types.js';

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
