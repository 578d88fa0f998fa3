/** Decides which pages may use the server, by what browsers say of them. Programs say nothing. */
import type { IncomingHttpHeaders } from 'node:http';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerOptions } from '../options.js';
import type { Access, Caller } from './caller.js';
import { hasTokens, LOOPBACK_NAMES, quoted } from './policy.js';

const EXPOSED =
  'Accept-Ranges, Content-Length, Content-Range, Retry-After, Server-Timing, X-Array-Dtype, X-Array-Shape, X-Request-Id';

export class Origins {
  readonly #options: ServerOptions;
  readonly #isAllowed: readonly ((origin: string) => boolean)[];

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#isAllowed = options.allowOrigins.map(originMatcher);
  }

  /**
   * Returns what kind of sender a request has, when a browser says something about it.
   * @param isTrusted its token vouches for the page
   * @throws AcqError `origin_not_allowed`
   */
  kindOf({ headers, method, routeOptions }: FastifyRequest, isTrusted: boolean): Caller['kind'] {
    const { access = 'trusted', page } = routeOptions.config;
    const { origin, host } = headers;
    if (origin === undefined) {
      const isForeign = headers['sec-fetch-site'] === 'cross-site' && !isTrusted;
      if (isForeign && !mayNavigate(headers, method === 'GET' ? page : undefined)) throw crossSite(headers);
      return headers['sec-fetch-site'] === 'same-origin' ? 'own-page' : 'program';
    }
    if (isOwnOrigin(origin, host)) return 'own-page';
    if (isTrusted || this.#trusts(origin, host)) return 'trusted-page';
    if (origin === 'null' && this.#allowsNull(access)) return 'file-page';
    throw originRefused(origin, access);
  }

  /**
   * Tells a page what it may send.
   * @param methods of the address; nothing when it does not exist
   * @throws AcqError `origin_not_allowed`
   */
  answerPreflight(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    methods: ReadonlyMap<string, Access> | undefined,
  ): void {
    const access = methods?.get(String(headers['access-control-request-method'])) ?? 'trusted';
    this.#checkPreflight(headers, access);
    reply.headers({
      'access-control-allow-origin': headers.origin!,
      'access-control-allow-methods': methods ? [...methods.keys()].join(', ') : 'GET, HEAD, POST, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type, Range',
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    });
    for (const network of ['private-network', 'local-network']) {
      if (headers[`access-control-request-${network}`] === 'true') {
        reply.header(`access-control-allow-${network}`, 'true');
      }
    }
    reply.code(204).send();
  }

  /** Checks whether the page may send the request at all. A preflight does not carry the token, it only announces it. */
  #checkPreflight(headers: IncomingHttpHeaders, access: Access): void {
    const { origin = 'null', host } = headers;
    if (hasTokens(this.#options) && announcesToken(headers)) return;
    if (this.#trusts(origin, host) || (origin === 'null' && this.#allowsNull(access))) return;
    throw originRefused(origin, access);
  }

  #trusts(origin: string, host: string | undefined): boolean {
    return isOwnOrigin(origin, host) || isLoopbackOrigin(origin) || this.#isAllowed.some((matches) => matches(origin));
  }

  #allowsNull(access: Access): boolean {
    return access === 'consent' || (access === 'trusted' && this.#options.allowFilePages);
  }
}

/** Lets the page of a request read the answer. */
export function setCorsHeaders({ caller: { kind, origin } }: FastifyRequest, reply: FastifyReply): void {
  if (origin === undefined) return;
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', EXPOSED);
  // Where the time went is for the pages that may read the answer.
  reply.header('timing-allow-origin', origin);
  if (kind !== 'own-page') reply.header('cross-origin-resource-policy', 'cross-origin');
}

/** True for a page of this computer, at any port. */
function isLoopbackOrigin(origin: string): boolean {
  const [, name] = /^http:\/\/(\[::1\]|[a-z0-9.]+)(?::\d{1,5})?$/.exec(origin) ?? [];
  return name !== undefined && LOOPBACK_NAMES.includes(name);
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
