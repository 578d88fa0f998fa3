/**
 * Judges hosts, tokens and where requests come from, by their text. The order of the checks is in `guard.ts`; pages are judged in `origins.ts`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyRequest } from 'fastify';
import type { ServerOptions } from '../options.js';

/** Headers that proxies add to a forwarded request: RFC 7239, RFC 9110 §7.6.3 and common usage. */
const FORWARDED = /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;
const MAX_PORT = 65_535;

/** The ends that the server has of its connections to itself. */
export const ownSockets = new WeakSet<object>();

/** True for a request of the server to itself: it is not logged, opens a file that no root contains, and its sessions have no limits. */
export function isWarmUp({ raw }: Pick<FastifyRequest, 'raw'>): boolean {
  return ownSockets.has(raw.socket);
}

/** True when every caller must be a user. */
export function hasUsers({ tokensFile, oidcIssuer }: Pick<ServerOptions, 'tokensFile' | 'oidcIssuer'>): boolean {
  return tokensFile !== undefined || oidcIssuer !== undefined;
}

/** True when everybody must send a token, at least from other computers. */
export function hasTokens(options: Pick<ServerOptions, 'token' | 'tokensFile' | 'oidcIssuer'>): boolean {
  return options.token !== '' || hasUsers(options);
}

/** Returns the token of an `Authorization` header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** Compares in constant time for any length. Nothing equals an empty token. */
export function isSameToken(given: string, token: string): boolean {
  return token !== '' && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** True for `localhost`, `::1` and all of 127.0.0.0/8. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * True when a `Host` header can only mean this computer, and the request came without a detour. With another port, a tunnel or
 * a port mapping forwarded it.
 */
export function isDirect(host: string | undefined, port: number): boolean {
  const parsed = parseHost(host);
  return parsed !== undefined && isLoopbackHost(parsed.name) && parsed.port === port;
}

export function bracketed(host: string): string {
  // Names and IPv4 have no colon, and the pattern of IPv6 takes 10 ms to compile at the start.
  return host.includes(':') && isIPv6(host) ? `[${host}]` : host;
}

/** Quotes a header value for a message: shortened, and with printable characters only. */
export function quoted(value: string | undefined): string {
  if (value === undefined) return '(missing)';
  const printable = value.replace(/[^\x20-\x7e]/g, '?');
  return `"${printable.length > 100 ? `${printable.slice(0, 100)}…` : printable}"`;
}

/** Returns the parts of a `Host` header, the name in lower case; `undefined` for a malformed one. */
export function parseHost(host: string | undefined): { name: string; port: number } | undefined {
  const [, name, digits = '80'] = HOST.exec(host ?? '') ?? [];
  const port = Number(digits);
  return name === undefined || port > MAX_PORT ? undefined : { name: name.toLowerCase(), port };
}

/** The refusal of a `Host` header, with what would be accepted. */
export function hostRefused(host: string | undefined, advice: string): AcqError {
  return new AcqError(
    'host_not_allowed',
    `The Host header ${quoted(host)} is not an address of this server. ${advice}`,
  );
}

/** True when a proxy forwarded the request, which it may do with its own address in `Host`. */
export function isForwarded(headers: object): boolean {
  return Object.keys(headers).some((name) => FORWARDED.test(name));
}
