/** Finds out who sent a request, by its token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { AcqError } from '../../errors.js';
import type { ServerOptions } from '../../options.js';
import { createTokenVerifier, type JwtVerifier } from './jwt.js';
import { TokensFile } from './tokens.js';

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

export interface Authenticator {
  /** Empty on a server without users. */
  readonly signIn: readonly SignIn[];
  identify(headers: IncomingHttpHeaders): Promise<Identity>;
}

export type AuthOptions = Pick<
  ServerOptions,
  'token' | 'tokensFile' | 'oidcIssuer' | 'oidcAudience' | 'oidcJwks' | 'userRoots'
>;

/** A server without users: everybody who may use it may do the same. */
export const WITHOUT_USERS: Authenticator = { signIn: [], identify: async () => ({}) };

/** The holder of `--token`, on a server that also has users. */
const SHARED: User = { owner: 'shared-token', name: 'Shared token', isLogin: false };

const UNKNOWN = 'The token is not known to this server. It may have been withdrawn.';

/** True when every caller must be a user. */
export function hasUsers({ tokensFile, oidcIssuer }: Pick<AuthOptions, 'tokensFile' | 'oidcIssuer'>): boolean {
  return tokensFile !== undefined || oidcIssuer !== undefined;
}

/**
 * Reads the tokens file and loads what verifies tokens of an issuer, where the options name them.
 * @throws AcqError `request_validation_failed`
 */
export async function createAuthenticator(options: AuthOptions, logger?: FastifyBaseLogger): Promise<Authenticator> {
  if (!hasUsers(options)) return WITHOUT_USERS;
  const file = options.tokensFile === undefined ? undefined : new TokensFile(options.tokensFile, logger);
  await file?.load();
  const verify = options.oidcIssuer === undefined ? undefined : await createTokenVerifier(oidcOf(options), logger);
  return {
    signIn: [...(file || options.token !== '' ? (['token'] as const) : []), ...(verify ? (['login'] as const) : [])],
    identify: (headers) => identify(headers, { token: options.token, file, verify }),
  };
}

interface Known {
  token: string;
  file: TokensFile | undefined;
  verify: JwtVerifier | undefined;
}

async function identify(headers: IncomingHttpHeaders, { token, file, verify }: Known): Promise<Identity> {
  const given = bearerOf(headers);
  if (given === undefined) return headers.authorization === undefined ? {} : { problem: UNKNOWN };
  if (isSameToken(given, token)) return { user: SHARED };
  if (verify && isJwt(given)) return verify(given);
  return (await file?.identify(given)) ?? { problem: UNKNOWN };
}

/** @throws AcqError `request_validation_failed` when settings are missing or contradict each other */
function oidcOf({ oidcIssuer, oidcAudience, oidcJwks, userRoots }: AuthOptions) {
  if (oidcIssuer !== undefined && oidcAudience !== undefined && oidcJwks !== undefined) {
    return { issuer: oidcIssuer, audience: oidcAudience, jwks: toKeyAddress(oidcJwks), folders: userRoots };
  }
  throw new AcqError(
    'request_validation_failed',
    '--oidc-issuer requires --oidc-audience and --oidc-jwks: tokens for other programs must not be accepted, and the keys ' +
      'must come from an address that you chose.',
  );
}

/** Allows http on this computer only, where nobody is between the server and the keys. */
function toKeyAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url && (url.protocol === 'https:' || isLocal)) return url;
  throw new AcqError('request_validation_failed', `--oidc-jwks ${text}: must be an https address`);
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

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}
