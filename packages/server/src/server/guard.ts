/**
 * Runs the checks before any route, in a fixed order: Host → preflight → Origin and fetch metadata → token → content
 * type → declared size → does the address exist. Schema, path policy and budget follow in the route.
 */
import { BINARY } from '@acquisition-store/client/contract/values.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerOptions } from '../options.js';
import { Addresses } from './addresses.js';
import type { AppDependencies } from './dependencies.js';
import { Origins, setCorsHeaders } from './origins.js';
import {
  bearerOf,
  bracketed,
  hasTokens,
  hasUsers,
  hostRefused,
  isDirect,
  isForwarded,
  isLoopbackHost,
  isSameToken,
  isWarmUp,
  LOOPBACK_NAMES,
  parseHost,
} from './policy.js';

export const BODY_LIMIT = 64 * 1024;

const WILDCARDS = new Set(['0.0.0.0', '::']);

/** True when the client waits for `100 Continue` before it sends the body. */
export function expectsContinue({ headers, raw }: FastifyRequest): boolean {
  return raw.httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

/** Returns what an open has to know about its user, and the label of a balancer. */
export function ownerOf({ caller: { user, label } }: Pick<FastifyRequest, 'caller'>): {
  owner?: string;
  folders?: readonly string[];
  label?: string;
} {
  const own = user ? { owner: user.owner, ...(user.folders ? { folders: user.folders } : {}) } : {};
  return { ...own, ...(label === undefined ? {} : { label }) };
}

/** Decides who may use the server, and what a request must look like. Nothing of requests is remembered. */
export class Guard {
  readonly addresses = new Addresses();
  readonly #options: ServerOptions;
  readonly #origins: Origins;
  readonly #deps: Pick<AppDependencies, 'authenticator'>;
  /** Names that a `Host` header may have at any port. */
  readonly #names: ReadonlySet<string>;
  /** Everybody must send a token, at least from other computers. */
  readonly #hasTokens: boolean;

  constructor(options: ServerOptions, deps: Pick<AppDependencies, 'authenticator'>) {
    const { host, allowHosts } = options;
    this.#options = options;
    this.#origins = new Origins(options);
    this.#deps = deps;
    const own = isLoopbackHost(host) ? [bracketed(host)] : [];
    this.#names = new Set([...LOOPBACK_NAMES, ...own, ...allowHosts].map((name) => name.toLowerCase()));
    this.#hasTokens = hasTokens(options);
  }

  /**
   * Returns the request target (RFC 9112 §3.2) as the framework finds its route. It keeps the authority of an absolute one, which
   * is checked later. Others, such as `*`, would be taken for `/`: they become addresses of nothing.
   */
  toAddress(target: string): string {
    if (target.startsWith('/')) return this.#withoutSlash(target);
    const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
    if (authority === undefined) return `/${target}`;
    return `http://${authority}${this.#withoutSlash(rest.startsWith('/') ? rest : `/${rest}`)}`;
  }

  #withoutSlash(url: string): string {
    return /\/(?:\?|$)/.test(url) ? this.addresses.withoutSlash(url) : url;
  }

  /**
   * Checks who sends a request, and notes it in `caller`: all that an address which cannot be decoded needs before it is refused.
   * The server itself is not a user.
   * @returns whether it has been answered: a preflight
   * @throws AcqError `host_not_allowed`, `origin_not_allowed`, `unauthorized`
   */
  async checkSender(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const isOwn = isWarmUp(request);
    const { headers } = request;
    const { authenticator } = this.#deps;
    const identity = authenticator && !isOwn ? await authenticator.identify(headers) : undefined;
    const user = identity?.user;
    setStandardHeaders(request, reply);
    const target = this.checkTarget(request);
    if (isPreflight(request)) {
      // A promise of a reply would be settled when it has been sent.
      this.#origins.answerPreflight(request, reply, this.addresses.methods(request.url));
      return true;
    }
    const { token, sessionStore } = this.#options;
    const { origin, 'sec-fetch-site': site, 'x-acqstore-label': label } = headers;
    const authorized = user !== undefined || isSameToken(bearerOf(headers.authorization) ?? '', token);
    // The proxy adds the token of a login to requests of any page.
    const isTrusted = authorized && !user?.isLogin;
    const isBrowser = origin !== undefined || site !== undefined;
    request.caller = {
      kind: isBrowser ? this.#origins.kindOf(request, isTrusted) : 'program',
      origin,
      authorized,
      ...(user ? { user } : {}),
      ...(sessionStore !== undefined && typeof label === 'string' ? { label } : {}),
    };
    if (isBrowser) setCorsHeaders(request, reply);
    if (!this.#hasTokens || authorized || isOwn) return false;
    try {
      this.#refuseWithoutToken(request, target, identity?.problem);
    } catch (error) {
      reply.header('www-authenticate', 'Bearer');
      throw error;
    }
    return false;
  }

  /**
   * Checks what an accepted sender sends: the type and the declared size of the body, and the address.
   * @returns the answer of an OPTIONS
   * @throws AcqError `unsupported_media_type`, `payload_too_large`, `not_found`, `method_not_allowed`
   */
  checkRequest(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const { anyContentType = false, octets = false } = request.routeOptions.config;
    checkBodyHeaders(request, anyContentType, octets);
    return request.is404 ? this.#answerUnrouted(request, reply) : undefined;
  }

  /**
   * @returns host and port of an absolute request target, and the port that the request arrived at
   * @throws AcqError `host_not_allowed`
   */
  checkTarget({ raw }: Pick<FastifyRequest, 'raw'>) {
    const { headers, rawHeaders, socket, url = '' } = raw;
    // Injected requests have no connection.
    const port = socket.localPort ?? this.#options.port;
    const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
    if (hosts > 1) throw new AcqError('host_not_allowed', 'The request has more than one Host header.');
    this.#checkHost(headers.host, port);
    // A request line with an absolute address overrides the Host header.
    const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
    if (authority !== undefined) this.#checkHost(authority, port);
    return { authority, port };
  }

  /**
   * Accepts loopback names and the names that the operator added at any port, because tunnels and port mappings change it, and
   * the address that the server is bound to at its own port. DNS can give another site the address of this server, but not one of
   * these names.
   * @param port that the request arrived at
   */
  #checkHost(host: string | undefined, port: number): void {
    const { host: bound } = this.#options;
    const parsed = parseHost(host);
    if (parsed && this.#names.has(parsed.name)) return;
    const isBound = parsed?.name === bracketed(bound).toLowerCase() && !WILDCARDS.has(bound) && parsed.port === port;
    if (!isBound) throw hostRefused(host, `Use http://127.0.0.1:${port}, or start the server with --allow-host NAME.`);
  }

  /**
   * Refuses a sender without the right token, unless the address or this computer needs none.
   * @param authority of an absolute request target, which overrides the Host header
   * @param problem why the token of the request is refused
   */
  #refuseWithoutToken(
    { headers, routeOptions }: FastifyRequest,
    { authority = headers.host, port }: { authority: string | undefined; port: number },
    problem: string | undefined,
  ): void {
    const { host, sessionStore } = this.#options;
    if (headers.authorization !== undefined) {
      const reason = problem ?? 'The token does not match this server. It may be from an earlier start.';
      throw new AcqError('unauthorized', reason);
    }
    if (routeOptions.config.tokenFree) return;
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

  /** Answers a request without a route: the address does not exist, or not for this method. */
  #answerUnrouted({ url, method }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const methods = this.addresses.methods(url);
    if (!methods) throw nothingAt(url);
    const allow = [...methods.keys(), 'OPTIONS'].join(', ');
    reply.header('allow', allow);
    if (method === 'OPTIONS') return reply.code(204).send();
    throw new AcqError('method_not_allowed', `${method} is not allowed at this address. Use ${allow}.`);
  }
}

function setStandardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    vary: 'Origin',
  });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/**
 * Requires a body to be declared as JSON, or as raw bytes where a file is sent, which forms and beacons of other sites
 * cannot do without a preflight.
 */
function checkBodyHeaders({ method, headers }: FastifyRequest, anyContentType: boolean, octets: boolean): void {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return;
  const length = Number(headers['content-length'] ?? 0);
  const hasBody = length > 0 || headers['transfer-encoding'] !== undefined;
  const type = headers['content-type'];
  if (octets && (type !== undefined || hasBody) && type?.toLowerCase() !== BINARY.mediaType) {
    throw new AcqError(
      'unsupported_media_type',
      `The body must be raw bytes: send "Content-Type: ${BINARY.mediaType}".`,
    );
  }
  if (!octets && !anyContentType && (type !== undefined || hasBody) && !isJson(type)) {
    throw new AcqError('unsupported_media_type', 'The body must be JSON: send "Content-Type: application/json".');
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new AcqError('unsupported_media_type', 'The body must not be compressed: leave out "Content-Encoding".');
  }
  if (!octets && length > BODY_LIMIT) throw payloadTooLarge();
}

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type);
}

export function payloadTooLarge(): AcqError {
  return new AcqError('payload_too_large', `The body is too large; the limit is ${grouped(BODY_LIMIT)} bytes.`);
}

/** The refusal of an address that does not exist. */
export function nothingAt(url: string): AcqError {
  const path = url.split('?', 1)[0]!.slice(0, 200);
  return new AcqError('not_found', `There is nothing at ${path}. GET /api/v2 lists the addresses of this server.`);
}
