/** Verifies tokens of an OpenID Connect issuer. The package `jose` is loaded only where an issuer is configured. */

import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyBaseLogger } from 'fastify';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import type { Identity } from '../caller.js';
import { fillFolders } from './folders.js';

type Jose = typeof import('jose');

export type JwtVerifier = (token: string) => Promise<Identity>;

export interface OidcOptions {
  issuer: string;
  audience: string;
  /** Address of the keys. The `jku` and `x5u` of a token are never followed. */
  jwks: URL;
  /** Folders of a user, with names of claims in braces; empty when users are not confined further than the server. */
  folders: readonly string[];
}

/** Signatures with a public key: whoever has the key of the issuer cannot make tokens with it, as with HS256. */
const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'];
/** Seconds by which the clocks of the issuer and of this computer may differ. */
const TOLERANCE = 30;
/** A key that is not known makes the server ask for the keys again, but not more often than this. */
const COOL_DOWN_MS = 30_000;
const KEYS = { cacheMaxAge: 600_000, cooldownDuration: COOL_DOWN_MS, timeoutDuration: 2_000 };
/** Errors that are about the token; all others are about the address of the keys. */
const KEY_ERRORS = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED'];
/** The limit of OpenID Connect for a subject. */
const MAX_SUBJECT = 255;
const MAX_NAME = 100;

const EXPIRED = 'The login has expired. Log in again.';
const REFUSED = 'The login is not valid on this server. Log in again, or ask the operator.';
const WITHOUT_KEYS = 'The keys of the login service are not available. Try again in a moment.';

/** @throws AcqError `request_validation_failed` when `jose` is not installed */
export async function createTokenVerifier(options: OidcOptions, logger?: FastifyBaseLogger): Promise<JwtVerifier> {
  const jose = await loadJose();
  const findKey = keyFinder(jose, options.jwks, logger);
  const rules: JWTVerifyOptions = {
    algorithms: ALGORITHMS,
    issuer: options.issuer,
    audience: options.audience,
    requiredClaims: ['iss', 'aud', 'exp', 'sub'],
    clockTolerance: TOLERANCE,
  };
  return async (token) => {
    try {
      const { payload } = await jose.jwtVerify(token, findKey, rules);
      return toIdentity(payload, options);
    } catch (error) {
      if (error instanceof KeysUnavailable) return { problem: WITHOUT_KEYS };
      const { code = 'unknown', message } = error as { code?: string; message: string };
      // The message names a claim or an algorithm, never a value of the token.
      logger?.info({ code, reason: message }, 'a login token was refused');
      return { problem: code === 'ERR_JWT_EXPIRED' ? EXPIRED : REFUSED };
    }
  };
}

async function loadJose(): Promise<Jose> {
  try {
    return await import('jose');
  } catch (error) {
    throw new AcqError(
      'request_validation_failed',
      '--oidc-issuer requires the package jose, which is not installed. Run: npm install jose@6',
      { cause: error },
    );
  }
}

class KeysUnavailable extends Error {}

/** Finds keys at their address. Keys that are known go on when the address does not answer. */
function keyFinder(jose: Jose, url: URL, logger: FastifyBaseLogger | undefined): JWTVerifyGetKey {
  const remote = jose.createRemoteJWKSet(url, KEYS);
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (header, token) => {
    // Without this pause every request would wait for an address that does not answer.
    if (performance.now() - failedAt > COOL_DOWN_MS) {
      try {
        return await remote(header, token);
      } catch (error) {
        if (KEY_ERRORS.includes((error as { code?: string }).code ?? '')) throw error;
        failedAt = performance.now();
        logger?.error({ err: error }, `--oidc-jwks ${url.href}: the keys could not be read; known keys stay in use`);
      }
    }
    const known = remote.jwks();
    if (!known) throw new KeysUnavailable();
    return jose.createLocalJWKSet(known)(header, token);
  };
}

function toIdentity(claims: JWTPayload, { issuer, folders }: OidcOptions): Identity {
  const { sub } = claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT) return { problem: REFUSED };
  const confined = folders.length > 0 ? { folders: fillFolders(folders, claims) } : {};
  return { user: { owner: `oidc:${issuer}|${sub}`, name: nameOf(claims, sub), ...confined, isLogin: true } };
}

/** Returns the name that people know, for the page. Only `sub` identifies: the others can change and be given again. */
function nameOf(claims: JWTPayload, sub: string): string {
  const names = ['name', 'preferred_username', 'email'].map((claim) => claims[claim]);
  const name = names.find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? sub;
  return name.trim().slice(0, MAX_NAME);
}
