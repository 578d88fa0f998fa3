/**
 * Decides who may use the server by the Host, Origin and token of a request. All functions are pure; the order of the
 * checks is in `guard.ts`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { ServerOptions } from '../options.js';
import type { SessionClient } from '../sessions/types.js';
import { bearerOf, hasUsers, type Identity, isSameToken, type User } from './auth/user.js';
import { type HostCheck, hostCheck, isDirect, isLoopbackHost, isLoopbackOrigin, quoted } from './hosts.js';

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

type PolicyOptions = Pick<
  ServerOptions,
  | 'host'
  | 'port'
  | 'token'
  | 'sessionStore'
  | 'tokensFile'
  | 'oidcIssuer'
  | 'allowOrigins'
  | 'allowHosts'
  | 'allowFilePages'
>;

/** A request whose sender is to be identified. */
export interface Sender {
  headers: IncomingHttpHeaders;
  /** What its token says, on a server with users. */
  identity: Identity;
  access: Access;
  /** What other sites may do with the address: nothing, link to a page, or show it in a frame as well. */
  page: PageUse;
}

/** `linked`: other sites may link here; `framed`: they may also show it, where its `frame-ancestors` let them. */
export type PageUse = false | 'linked' | 'framed';

export interface Policy {
  checkHost: HostCheck;
  /** @throws AcqError `origin_not_allowed` */
  caller(sender: Sender): Caller;
  /**
   * Checks whether the page may send the request at all. A preflight does not carry the token, it only announces it.
   * @throws AcqError `origin_not_allowed`
   */
  checkPreflight(headers: IncomingHttpHeaders, access: Access): void;
  /**
   * Checks the token where one is required.
   * @throws AcqError `unauthorized`
   */
  checkToken(headers: IncomingHttpHeaders, caller: Caller, target: TokenTarget): void;
}

export interface TokenTarget {
  /** The address is served without a token. */
  tokenFree: boolean;
  /** Host and port of an absolute request target, which overrides the Host header. */
  authority: string | undefined;
  /** The port that the request arrived at. */
  port: number;
  /** Why the token of the request is refused. */
  problem: string | undefined;
}

/** Headers that proxies add to a forwarded request: RFC 7239, RFC 9110 §7.6.3 and common usage. */
const FORWARDED = /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

export function createPolicy(options: PolicyOptions): Policy {
  const { token, sessionStore } = options;
  const withUsers = hasUsers(options);
  const boundRemotely = !isLoopbackHost(options.host);
  const origins = options.allowOrigins.map(originMatcher);
  const trusts = (origin: string, host: string | undefined) =>
    isOwnOrigin(origin, host) || isLoopbackOrigin(origin) || origins.some((matches) => matches(origin));
  const allowsNull = (access: Access) => access === 'consent' || (access === 'trusted' && options.allowFilePages);

  return {
    checkHost: hostCheck(options),
    caller({ headers, identity: { user }, access, page }) {
      const { origin, host } = headers;
      const authorized = user !== undefined || isSameToken(bearerOf(headers) ?? '', token);
      // The proxy adds the token of a login to requests of any page.
      const vouches = authorized && !user?.isLogin;
      const label = sessionStore === undefined ? undefined : labelOf(headers);
      const who = { origin, authorized, ...(user ? { user } : {}), ...(label === undefined ? {} : { label }) };
      if (origin === undefined) {
        const foreign = headers['sec-fetch-site'] === 'cross-site' && !vouches;
        if (foreign && !mayNavigate(page, headers)) throw crossSite(headers);
        return { kind: headers['sec-fetch-site'] === 'same-origin' ? 'own-page' : 'program', ...who };
      }
      if (isOwnOrigin(origin, host)) return { kind: 'own-page', ...who };
      if (vouches || trusts(origin, host)) return { kind: 'trusted-page', ...who };
      if (origin === 'null' && allowsNull(access)) return { kind: 'file-page', ...who };
      throw originRefused(origin, access);
    },
    checkPreflight(headers, access) {
      const { origin = 'null', host } = headers;
      if ((token !== '' || withUsers) && announcesToken(headers)) return;
      if (trusts(origin, host) || (origin === 'null' && allowsNull(access))) return;
      throw originRefused(origin, access);
    },
    checkToken(headers, caller, { tokenFree, authority = headers.host, port, problem }) {
      if ((token === '' && !withUsers) || caller.authorized) return;
      if (headers.authorization !== undefined) {
        const reason = problem ?? 'The token does not match this server. It may be from an earlier start.';
        throw new AcqError('unauthorized', reason);
      }
      if (tokenFree) return;
      if (withUsers) {
        throw new AcqError('unauthorized', 'Sign in to use this server: send "Authorization: Bearer TOKEN".');
      }
      // On a server that other computers can reach, or behind a proxy, the client may be anywhere.
      if (
        boundRemotely ||
        sessionStore !== undefined ||
        isForwarded(headers) ||
        !isDirect(headers.host, port) ||
        !isDirect(authority, port)
      ) {
        throw new AcqError('unauthorized', 'This server requires its token: send "Authorization: Bearer TOKEN".');
      }
    },
  };
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
function mayNavigate(page: PageUse, headers: IncomingHttpHeaders): boolean {
  if (page === false || headers['sec-fetch-mode'] !== 'navigate') return false;
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
