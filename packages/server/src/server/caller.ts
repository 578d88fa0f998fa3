/** Who sends requests. */
import type { SessionClient } from '../sessions/types.js';

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

/** Who sent a request. A same-origin GET has no `Origin`: it is that of a `program`, unless the browser says what it is. */
export interface Caller extends SessionClient {
  /** True when the request carries a correct token. */
  authorized: boolean;
  /** On a server with users. */
  user?: User;
  /** First digits for new sessions, from the balancer in front of instances. */
  label?: string;
}

/**
 * Whether an operation accepts `Origin: null`: `consent` does, because it depends on the user's consent; `trusted` does
 * with `--allow-file-pages` only; `files`, which lists folders or takes files, never does.
 */
export type Access = 'consent' | 'trusted' | 'files';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** Default: `trusted`. */
    access?: Access;
    /** Served without a token even to clients that need one for everything else. */
    tokenFree?: boolean;
    /**
     * Contains no data, so other sites may link here (`linked`), or also show it (`framed`), where its `frame-ancestors` let them.
     */
    page?: 'linked' | 'framed';
    /** Takes bodies of any type: API v1 always did. The Origin has been checked by then. */
    anyContentType?: boolean;
    /** Takes a body of any size, as raw bytes. */
    octets?: boolean;
    /** Its readers take 404 for data that are zeros. */
    isStore?: boolean;
  }
}
