/** Users of a server, and the tokens that they send. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ServerOptions } from '../../options.js';

/** Somebody whom a server with users knows. */
export interface User {
  /** Identifies the user in sessions, logs and limits: `token:NAME` or `oidc:ISSUER|SUBJECT`. */
  owner: string;
  /** For people. */
  name: string;
  /** Folders that the user is confined to, inside the roots of the server; all of the roots when undefined. */
  folders?: readonly string[];
  /**
   * A proxy sends the token of the user with every request of the browser, whichever page made it. Such a token does not
   * show that the page is trusted.
   */
  isLogin: boolean;
}

/** Result of looking at the token of a request. */
export interface Identity {
  user?: User;
  /** Why the token is refused, for the client. */
  problem?: string;
}

/** How a caller can become a user: send a token, or log in at the proxy in front of the server. */
export type SignIn = 'token' | 'login';

/** True when every caller must be a user. */
export function hasUsers({ tokensFile, oidcIssuer }: Pick<ServerOptions, 'tokensFile' | 'oidcIssuer'>): boolean {
  return tokensFile !== undefined || oidcIssuer !== undefined;
}

/** Returns the token of the `Authorization` header. */
export function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/** Compares in constant time for any length. Nothing equals an empty token. */
export function isSameToken(given: string, token: string): boolean {
  return token !== '' && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
