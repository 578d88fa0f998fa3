/**
 * Decides who may use the server by the Host, Origin and token of a request. Nothing here is remembered; the order of the
 * checks is in `guard.ts`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { ServerOptions } from '../options.js';
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

/** Headers that proxies add to a forwarded request: RFC 7239, RFC 9110 §7.6.3 and common usage. */
const FORWARDED = /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

export const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARDS = new Set(['0.0.0.0', '::']);
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;
const MAX_PORT = 65_535;

export class Policy {
  readonly #options: ServerOptions;
  /** Names that a `Host` header may have at any port. */
  readonly #names: ReadonlySet<string>;
  readonly #isAllowed: readonly ((origin: string) => boolean)[];
  /** Everybody must send a token, at least from other computers. */
  readonly #hasTokens: boolean;

  constructor(options: ServerOptions) {
    const { host, allowHosts, allowOrigins, token } = options;
    this.#options = options;
    const own = isLoopbackHost(host) ? [bracketed(host)] : [];
    this.#names = new Set([...LOOPBACK_NAMES, ...own, ...allowHosts].map((name) => name.toLowerCase()));
    this.#isAllowed = allowOrigins.map(originMatcher);
    this.#hasTokens = token !== '' || hasUsers(options);
  }

  /**
   * Accepts loopback names and the names that the operator added at any port, because tunnels and port mappings change it, and
   * the address that the server is bound to at its own port. DNS can give another site the address of this server, but not one of
   * these names.
   * @param port that the request arrived at
   * @throws AcqError `host_not_allowed`
   */
  checkHost(host: string | undefined, port: number): void {
    const { host: bound } = this.#options;
    const parsed = parseHost(host);
    if (parsed && this.#names.has(parsed.name)) return;
    const isBound = parsed?.name === bracketed(bound).toLowerCase() && !WILDCARDS.has(bound) && parsed.port === port;
    if (!isBound) throw hostRefused(host, `Use http://127.0.0.1:${port}, or start the server with --allow-host NAME.`);
  }

  /**
   * Returns who sent a request.
   * @param user whom its token names, on a server with users
   * @param page what other sites may do with the address: link to it as a page, or show it in a frame as well
   * @throws AcqError `origin_not_allowed`
   */
  caller(headers: IncomingHttpHeaders, user: User | undefined, access: Access, page?: 'linked' | 'framed'): Caller {
    const { token, sessionStore } = this.#options;
    const { origin, host } = headers;
    const authorized = user !== undefined || isSameToken(bearerOf(headers) ?? '', token);
    // The proxy adds the token of a login to requests of any page.
    const vouches = authorized && !user?.isLogin;
    const label = sessionStore === undefined ? undefined : labelOf(headers);
    const who = { origin, authorized, ...(user ? { user } : {}), ...(label === undefined ? {} : { label }) };
    if (origin === undefined) {
      const foreign = headers['sec-fetch-site'] === 'cross-site' && !vouches;
      if (foreign && !mayNavigate(headers, page)) throw crossSite(headers);
      return { kind: headers['sec-fetch-site'] === 'same-origin' ? 'own-page' : 'program', ...who };
    }
    if (isOwnOrigin(origin, host)) return { kind: 'own-page', ...who };
    if (vouches || this.#trusts(origin, host)) return { kind: 'trusted-page', ...who };
    if (origin === 'null' && this.#allowsNull(access)) return { kind: 'file-page', ...who };
    throw originRefused(origin, access);
  }

  /**
   * Checks whether the page may send the request at all. A preflight does not carry the token, it only announces it.
   * @throws AcqError `origin_not_allowed`
   */
  checkPreflight(headers: IncomingHttpHeaders, access: Access): void {
    const { origin = 'null', host } = headers;
    if (this.#hasTokens && announcesToken(headers)) return;
    if (this.#trusts(origin, host) || (origin === 'null' && this.#allowsNull(access))) return;
    throw originRefused(origin, access);
  }

  /**
   * Checks the token where one is required.
   * @param tokenFree whether the address is served without a token
   * @param authority host and port of an absolute request target, which overrides the Host header
   * @param port that the request arrived at
   * @param problem why the token of the request is refused
   * @throws AcqError `unauthorized`
   */
  checkToken(
    headers: IncomingHttpHeaders,
    { authorized }: Caller,
    at: { tokenFree: boolean; authority: string | undefined; port: number; problem: string | undefined },
  ): void {
    const { host, sessionStore } = this.#options;
    const { tokenFree, authority = headers.host, port, problem } = at;
    if (!this.#hasTokens || authorized) return;
    if (headers.authorization !== undefined) {
      const reason = problem ?? 'The token does not match this server. It may be from an earlier start.';
      throw new AcqError('unauthorized', reason);
    }
    if (tokenFree) return;
    if (hasUsers(this.#options)) {
      throw new AcqError('unauthorized', 'Sign in to use this server: send "Authorization: Bearer TOKEN".');
    }
    // On a server that other computers can reach, or behind a proxy, the client may be anywhere.
    if (
      !isLoopbackHost(host) ||
      sessionStore !== undefined ||
      isForwarded(headers) ||
      !isDirect(headers.host, port) ||
      !isDirect(authority, port)
    ) {
      throw new AcqError('unauthorized', 'This server requires its token: send "Authorization: Bearer TOKEN".');
    }
  }

  #trusts(origin: string, host: string | undefined): boolean {
    return isOwnOrigin(origin, host) || isLoopbackOrigin(origin) || this.#isAllowed.some((matches) => matches(origin));
  }

  #allowsNull(access: Access): boolean {
    return access === 'consent' || (access === 'trusted' && this.#options.allowFilePages);
  }
}

/** Returns what an open has to know about its user, and the label of a balancer. */
export function ownerOf({ user, label }: Caller): { owner?: string; folders?: readonly string[]; label?: string } {
  const own = user ? { owner: user.owner, ...(user.folders ? { folders: user.folders } : {}) } : {};
  return { ...own, ...(label === undefined ? {} : { label }) };
}

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

/** True for `localhost`, `::1` and all of 127.0.0.0/8. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * True when a `Host` header can only mean this computer, and the request came without a detour. With another port, a tunnel or
 * a port mapping forwarded it.
 */
function isDirect(host: string | undefined, port: number): boolean {
  const parsed = parseHost(host);
  return parsed !== undefined && isLoopbackHost(parsed.name) && parsed.port === port;
}

/** True for a page of this computer, at any port. */
function isLoopbackOrigin(origin: string): boolean {
  const [, name] = /^http:\/\/(\[::1\]|[a-z0-9.]+)(?::\d{1,5})?$/.exec(origin) ?? [];
  return name !== undefined && LOOPBACK_NAMES.includes(name);
}

export function bracketed(host: string): string {
  // Names and IPv4 have no colon, and the pattern of IPv6 takes 10 ms to compile at the start.
  return host.includes(':') && isIPv6(host) ? `[${host}]` : host;
}

/** Quotes a header value for a message: shortened, and with printable characters only. */
function quoted(value: string | undefined): string {
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
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDED.test(name));
}

/** True for a page of this server. The Host header has been checked; behind a TLS proxy the scheme differs. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

/** True when a tab or window, or a frame that may, navigates: not a part of a page or `fetch`. */
function mayNavigate(headers: IncomingHttpHeaders, page: string | undefined): boolean {
  if (page === undefined || headers['sec-fetch-mode'] !== 'navigate') return false;
  const place = headers['sec-fetch-dest'];
  return place === 'document' || (page === 'framed' && place === 'iframe');
}

function originMatcher(given: string): (origin: string) => boolean {
  // Browsers write origins in lower case, without the default port.
  const allowed = given.toLowerCase().replace(/^(https:.*):443$|^(http:.*):80$/, '$1$2');
  const star = allowed.indexOf('://*.');
  if (star < 0) return (origin) => origin === allowed;
  const scheme = allowed.slice(0, star + 3);
  const suffix = allowed.slice(star + 4);
  return (origin) =>
    origin.startsWith(scheme) &&
    origin.endsWith(suffix) &&
    /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(origin.slice(scheme.length, origin.length - suffix.length));
}

function announcesToken(headers: IncomingHttpHeaders): boolean {
  const names = String(headers['access-control-request-headers'] ?? '').split(',');
  return names.some((name) => name.trim().toLowerCase() === 'authorization');
}

function originRefused(origin: string, access: Access): AcqError {
  const message =
    origin === 'null' && access === 'files'
      ? 'Pages without an origin (a local HTML file, a sandboxed frame) may not list folders or send files. ' +
        'Send the token of the server.'
      : origin === 'null'
        ? 'Pages without an origin (a local HTML file, a sandboxed frame) may only open files through the file dialog. ' +
          'To allow paths, start the server with --allow-file-pages, or send its token.'
        : `Pages from ${quoted(origin)} may not use this server. To allow them, start it with --allow-origin ` +
          `${/^https?:\/\/[^\s/]+$/.test(origin) ? origin : 'ORIGIN'}.`;
  return new AcqError('origin_not_allowed', message);
}

function crossSite(headers: IncomingHttpHeaders): AcqError {
  const navigation = headers['sec-fetch-mode'] === 'navigate';
  return new AcqError(
    'origin_not_allowed',
    navigation
      ? 'Another site linked to this address. Type the address into the address bar instead.'
      : 'Another site sent this request without naming its origin. Use fetch() from an allowed origin.',
  );
}

function labelOf(headers: IncomingHttpHeaders): string | undefined {
  const label = headers['x-acqstore-label'];
  return typeof label === 'string' ? label : undefined;
}
