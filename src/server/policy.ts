/**
 * Who may drive the server: Host, Origin and token, as pure functions of the request's headers. The order in which
 * they are asked is in `guard.ts`.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { AcqError } from '../errors.js';
import type { ServerOptions } from '../options.js';

/**
 * `program`: no page behind it (curl, a script, a same-origin GET). `own-page`: a page of this server. `trusted-page`:
 * a loopback or allowed origin, or any page that bears the token. `file-page`: `Origin: null`, a local HTML file or a
 * sandboxed frame of any site.
 */
export type CallerKind = 'program' | 'own-page' | 'trusted-page' | 'file-page';

export interface Caller {
  kind: CallerKind;
  /** The `Origin` header. */
  origin: string | undefined;
  /** Bears the right token. */
  authorized: boolean;
}

/** What an operation lets callers of `Origin: null` do: all of it that rests on the user's consent, or nothing. */
export type Access = 'consent' | 'trusted';

type PolicyOptions = Pick<ServerOptions, 'host' | 'port' | 'token' | 'allowOrigins' | 'allowHosts' | 'allowFilePages'>;

export interface Policy {
  /** @throws AcqError `host_not_allowed` */
  checkHost(host: string | undefined, port: number): void;
  /**
   * `page`: a page is asked for, by GET. Links of other sites may lead there.
   * @throws AcqError `origin_not_allowed`
   */
  caller(headers: IncomingHttpHeaders, access: Access, page?: boolean): Caller;
  /**
   * May the page ask at all? A token is not sent yet, only announced.
   * @throws AcqError `origin_not_allowed`
   */
  checkPreflight(headers: IncomingHttpHeaders, access: Access): void;
  /**
   * `authority`: host and port of an absolute request target, which overrides the Host header.
   * @throws AcqError `unauthorized`
   */
  checkToken(headers: IncomingHttpHeaders, caller: Caller, tokenFree: boolean, authority?: string): void;
}

const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]']);
const WILDCARDS = new Set(['0.0.0.0', '::']);
/** Headers by which proxies say that they pass on the request of somebody else: RFC 7239, RFC 9110 §7.6.3, and usage. */
const FORWARDED = /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i;

export function createPolicy(options: PolicyOptions): Policy {
  const { token } = options;
  const boundRemotely = !isLoopbackHost(options.host);
  const origins = options.allowOrigins.map(originMatcher);
  const trusts = (origin: string, host: string | undefined) =>
    isOwnOrigin(origin, host) || isLoopbackOrigin(origin) || origins.some((matches) => matches(origin));
  const nullMay = (access: Access) => access === 'consent' || options.allowFilePages;

  return {
    checkHost: hostCheck(options),
    caller(headers, access, page = false) {
      const { origin, host } = headers;
      const authorized = bearsToken(headers, token);
      if (origin === undefined) {
        const foreign = headers['sec-fetch-site'] === 'cross-site' && !authorized;
        if (foreign && !(page && isTopNavigation(headers))) throw crossSite(headers);
        return { kind: 'program', origin, authorized };
      }
      if (isOwnOrigin(origin, host)) return { kind: 'own-page', origin, authorized };
      if (authorized || trusts(origin, host)) return { kind: 'trusted-page', origin, authorized };
      if (origin === 'null' && nullMay(access)) return { kind: 'file-page', origin, authorized };
      throw originRefused(origin);
    },
    checkPreflight(headers, access) {
      const { origin = 'null', host } = headers;
      if (token !== '' && announcesToken(headers)) return;
      if (trusts(origin, host) || (origin === 'null' && nullMay(access))) return;
      throw originRefused(origin);
    },
    checkToken(headers, caller, tokenFree, authority = headers.host) {
      if (token === '' || caller.authorized) return;
      if (headers.authorization !== undefined) {
        throw new AcqError('unauthorized', 'The token is not the one of this server; it may be from an earlier start.');
      }
      if (tokenFree) return;
      // On a machine that others can reach, or behind a proxy, whoever asks may sit anywhere.
      if (boundRemotely || isForwarded(headers) || !isLoopback(headers.host) || !isLoopback(authority)) {
        throw new AcqError('unauthorized', 'This server needs its token: send "Authorization: Bearer TOKEN".');
      }
    },
  };
}

/** Own names go with the actual port; those that the operator adds with any: a tunnel or a proxy has its own. */
function hostCheck({ host: bound, allowHosts }: PolicyOptions): Policy['checkHost'] {
  const own = new Set(LOOPBACK_NAMES);
  if (!WILDCARDS.has(bound)) own.add(bracketed(bound).toLowerCase());
  const added = new Set(allowHosts.map((name) => name.toLowerCase()));
  return (host, port) => {
    const [, written = '', digits = '80'] = HOST.exec(host ?? '') ?? [];
    const name = written.toLowerCase();
    if (added.has(name) || (own.has(name) && Number(digits) === port)) return;
    throw new AcqError(
      'host_not_allowed',
      `The Host header ${quoted(host)} is not an address of this server. Use http://127.0.0.1:${port}, ` +
        'or start the server with --allow-host NAME.',
    );
  };
}

/** `localhost`, `::1` and all of 127.0.0.0/8. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** A `Host` that only this machine can mean. */
function isLoopback(host: string | undefined): boolean {
  const [, name = ''] = HOST.exec(host ?? '') ?? [];
  return isLoopbackHost(name.toLowerCase());
}

/** A proxy that puts its own address into `Host` gives itself away by these. */
function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDED.test(name));
}

export function bracketed(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function isLoopbackOrigin(origin: string): boolean {
  const [, name] = /^http:\/\/(\[::1\]|[a-z0-9.]+)(?::\d{1,5})?$/.exec(origin) ?? [];
  return name !== undefined && LOOPBACK_NAMES.has(name);
}

/** The Host header was checked before; behind a TLS proxy the scheme differs. */
function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
}

/** The address of a tab or window changes: not a frame, not a part of a page, not `fetch`. */
function isTopNavigation(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function originMatcher(given: string): (origin: string) => boolean {
  // As browsers write it: lower case, without the port of the scheme.
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

/** Compared in constant time, whatever the lengths. */
function bearsToken(headers: IncomingHttpHeaders, token: string): boolean {
  const [, given] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token !== '' && given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** A header in a message: bounded, printable. */
function quoted(value: string | undefined): string {
  if (value === undefined) return '(missing)';
  const printable = value.replace(/[^\x20-\x7e]/g, '?');
  return `"${printable.length > 100 ? `${printable.slice(0, 100)}…` : printable}"`;
}

function originRefused(origin: string): AcqError {
  const hint =
    origin === 'null'
      ? 'A page without an origin (a local HTML file, a sandboxed frame) may open files through the file dialog only; ' +
        'start the server with --allow-file-pages, or send its token.'
      : `Start the server with --allow-origin ${/^https?:\/\/[^\s/]+$/.test(origin) ? origin : 'ORIGIN'} to let it in.`;
  return new AcqError('origin_not_allowed', `Pages of ${quoted(origin)} may not do this here. ${hint}`);
}

function crossSite(headers: IncomingHttpHeaders): AcqError {
  const navigation = headers['sec-fetch-mode'] === 'navigate';
  return new AcqError(
    'origin_not_allowed',
    navigation
      ? 'A link on another site led to this address. Type it into the address bar instead.'
      : 'Another site asked for this without saying which. Use fetch() from an allowed origin.',
  );
}
