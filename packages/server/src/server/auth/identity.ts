/** Finds out who sent a request, by its token. */
import type { IncomingHttpHeaders } from 'node:http';
import { isAbsolute } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyBaseLogger } from 'fastify';
import type { ServerOptions } from '../../options.js';
import type { Identity, User } from '../caller.js';
import { bearerOf, hasUsers, isSameToken } from '../policy.js';
import { createTokenVerifier, type JwtVerifier } from './jwt.js';
import { TokensFile } from './tokens.js';

export interface Authenticator {
  /** How a caller can become a user: send a token, or log in at the proxy in front of the server. */
  readonly signIn: readonly ('token' | 'login')[];
  identify(headers: IncomingHttpHeaders): Promise<Identity>;
}

export type AuthOptions = Pick<
  ServerOptions,
  'token' | 'tokensFile' | 'oidcIssuer' | 'oidcAudience' | 'oidcJwks' | 'userRoots'
>;

/** The holder of `--token`, on a server that also has users. */
const SHARED: User = { owner: 'shared-token', name: 'Shared token', isLogin: false };

const UNKNOWN = 'The token is not known to this server. It may have been withdrawn.';

/**
 * Reads the tokens file and loads what verifies tokens of an issuer, where the options name them. On a server without users
 * there is nothing to find out: everybody who may use it may do the same.
 * @throws AcqError `request_validation_failed`
 */
export async function createAuthenticator(
  options: AuthOptions,
  logger?: FastifyBaseLogger,
): Promise<Authenticator | undefined> {
  checkNotAlone(options);
  if (!hasUsers(options)) return undefined;
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
  const given = bearerOf(headers.authorization);
  if (given === undefined) return headers.authorization === undefined ? {} : { problem: UNKNOWN };
  if (isSameToken(given, token)) return { user: SHARED };
  if (verify && isJwt(given)) return verify(given);
  return (await file?.identify(given)) ?? { problem: UNKNOWN };
}

/** Settings that do nothing would let the operator believe that they confine somebody. */
function checkNotAlone({ oidcIssuer, oidcAudience, oidcJwks, userRoots }: AuthOptions): void {
  const given = [
    ...(oidcAudience === undefined ? [] : ['--oidc-audience']),
    ...(oidcJwks === undefined ? [] : ['--oidc-jwks']),
    ...(userRoots.length > 0 ? ['--user-root'] : []),
  ];
  if (oidcIssuer !== undefined || given.length === 0) return;
  throw new AcqError(
    'request_validation_failed',
    `${given.join(', ')} has no effect without --oidc-issuer. Set that too.`,
  );
}

/** @throws AcqError `request_validation_failed` when settings are missing */
function oidcOf({ oidcIssuer, oidcAudience, oidcJwks, userRoots }: AuthOptions) {
  const relative = userRoots.find((folder) => !isAbsolute(folder));
  if (relative !== undefined) {
    throw new AcqError('request_validation_failed', `--user-root ${relative}: must be an absolute path`);
  }
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

function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}
