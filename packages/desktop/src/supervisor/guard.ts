/** Who may use the supervisor: only a page that was loaded from it and has the token of this start. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Denial {
  status: number;
  error: string;
  message: string;
}

/** Sent with every answer. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

/** Checks that the request was sent to this address: a site can point its own name to 127.0.0.1. */
export function checkHost(headers: IncomingHttpHeaders, port: number): Denial | undefined {
  if (headers.host === `127.0.0.1:${port}`) return undefined;
  return { status: 403, error: 'host_not_allowed', message: 'The Host header is not the address of this application.' };
}

/** Checks that a request of a page comes from a page of this address. */
export function checkOrigin(headers: IncomingHttpHeaders, port: number): Denial | undefined {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn = origin === undefined || origin === `http://127.0.0.1:${port}`;
  if (isOwn && (site === undefined || site === 'same-origin' || site === 'none')) return undefined;
  return { status: 403, error: 'origin_not_allowed', message: 'Other pages may not control this application.' };
}

/** Compares the token in constant time for any length. */
export function checkToken(headers: IncomingHttpHeaders, token: string): Denial | undefined {
  const [, given = ''] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
  if (timingSafeEqual(digest(given), digest(token))) return undefined;
  return {
    status: 401,
    error: 'unauthorized',
    message: 'This page is from an earlier start of the application. Close it, and use the window of the application.',
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
