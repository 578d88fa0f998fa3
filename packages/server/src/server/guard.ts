/**
 * Runs the checks before any route, in a fixed order: Host → preflight → Origin and fetch metadata → token → content
 * type → declared size → does the address exist. Schema, path policy and budget follow in the route.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BINARY } from '@acquisition-store/client/contract/values.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerOptions } from '../options.js';
import { type Access, type Caller, type Identity, Policy } from './policy.js';

export const BODY_LIMIT = 64 * 1024;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** Default: `trusted`. */
    access?: Access;
    /** Served without a token even to clients that need one for everything else. */
    tokenFree?: boolean;
    /**
     * Contains no data, so other sites may link here (`linked`), or also show it (`framed`), where its `frame-ancestors` let them.
     */
    page?: 'linked' | 'framed';
    /** Takes bodies of any type: API v1 always did. The Origin has been checked by then. */
    anyContentType?: boolean;
    /** Takes a body of any size, as raw bytes. */
    octets?: boolean;
    /** Its readers take 404 for data that are zeros. */
    isStore?: boolean;
  }
}

const EXPOSED =
  'Accept-Ranges, Content-Length, Content-Range, Retry-After, Server-Timing, X-Array-Dtype, X-Array-Shape, X-Request-Id';

/** Where the server's own requests come from: no connection has an address like this. */
export const OWN_ADDRESS = 'warm-up';

/** True for a request of the server to itself: it is not logged, opens a file that no root contains, and has no limits. */
export function isWarmUp({ raw }: FastifyRequest): boolean {
  return raw.socket.remoteAddress === OWN_ADDRESS;
}

/** True when the client waits for `100 Continue` before it sends the body. */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

/** What an absolute request target has before its path. */
const ABSOLUTE = /^http:\/\/[^/]*/;

/** What the checks need: who may do what, and the methods of each address, for 405 with `Allow` and for preflights. */
export class Guard {
  readonly policy: Policy;
  /** On a server with users. */
  readonly authenticator: { identify(headers: IncomingHttpHeaders): Promise<Identity> } | undefined;
  /** Port that the Host header must name when the request has no connection (injected requests). */
  readonly port: number;
  readonly #entries = new Map<string, { segments: string[]; methods: Map<string, Access> }>();

  constructor(options: ServerOptions, authenticator?: Guard['authenticator']) {
    this.policy = new Policy(options);
    this.authenticator = authenticator;
    this.port = options.port;
  }

  /** Adds a route. `pattern` is in the framework's form: `/sessions/:sessionId`, or `/files/*` for one or more segments. */
  addRoute(pattern: string, method: string, access: Access): void {
    let entry = this.#entries.get(pattern);
    if (!entry) {
      entry = { segments: pattern.split('/'), methods: new Map() };
      this.#entries.set(pattern, entry);
    }
    entry.methods.set(method, access);
  }

  /**
   * Returns the request target (RFC 9112 §3.2) as the framework finds its route. It keeps the authority of an absolute one, which
   * the guard checks. Others, such as `*`, would be taken for `/`: they become addresses of nothing.
   */
  toAddress(target: string): string {
    if (target.startsWith('/')) return this.withoutSlash(target);
    const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
    if (authority === undefined) return `/${target}`;
    return `http://${authority}${this.withoutSlash(rest.startsWith('/') ? rest : `/${rest}`)}`;
  }

  /**
   * Returns the address of an API request without the slash at its end, unless an address with that slash exists: a file of an
   * upload and a key of a store may end with one.
   */
  withoutSlash(url: string): string {
    const [path = ''] = url.split('?', 1);
    if (!path.startsWith('/api/') || !path.endsWith('/')) return url;
    const shorter = path.slice(0, -1);
    const isOnlyWithout = this.methods(path) === undefined && this.methods(shorter) !== undefined;
    return isOnlyWithout ? shorter + url.slice(path.length) : url;
  }

  /** Returns the methods of an address, ignoring its query; `undefined` when the address does not exist. */
  methods(url: string): ReadonlyMap<string, Access> | undefined {
    const segments = url.replace(ABSOLUTE, '').split('?', 1)[0]!.split('/');
    for (const entry of this.#entries.values()) {
      if (matches(entry.segments, segments)) return entry.methods;
    }
    return undefined;
  }
}

/** Returns what the token of a request says. The server itself is not a user. */
export async function identifySender({ authenticator }: Guard, request: FastifyRequest): Promise<Identity> {
  return authenticator && !isWarmUp(request) ? authenticator.identify(request.headers) : {};
}

/** Accepts the request, answers it (preflight, OPTIONS), or throws an AcqError. */
export function guardRequest(
  guard: Guard,
  request: FastifyRequest,
  reply: FastifyReply,
  identity: Identity,
): FastifyReply | undefined {
  const config = request.is404 ? {} : request.routeOptions.config;
  const answer = admit(guard, request, reply, identity, config);
  if (answer) return answer;
  checkBodyHeaders(request.method, request.headers, config);
  return request.is404 ? answerUnrouted(guard, request, reply) : undefined;
}

/** Runs the checks of the sender: all that an address which cannot be decoded needs before it is refused. */
export function admit(
  guard: Guard,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, problem }: Identity,
  { access = 'trusted', tokenFree = false, page }: FastifyContextConfig = {},
): FastifyReply | undefined {
  const { policy } = guard;
  setStandardHeaders(request, reply);
  const { authority, port } = checkTarget(guard, request.raw);
  if (isPreflight(request)) return answerPreflight(guard, request, reply);
  const { headers } = request;
  request.caller = policy.caller(headers, user, access, request.method === 'GET' ? page : undefined);
  setCorsHeaders(request.caller, reply);
  try {
    if (!isWarmUp(request)) {
      policy.checkToken(headers, request.caller, { tokenFree, authority, port, problem });
    }
  } catch (error) {
    reply.header('www-authenticate', 'Bearer');
    throw error;
  }
  return undefined;
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

/**
 * @returns host and port of an absolute request target, and the port that the request arrived at
 * @throws AcqError `host_not_allowed`
 */
export function checkTarget(
  { policy, port }: Guard,
  request: IncomingMessage,
): { authority: string | undefined; port: number } {
  const { headers, rawHeaders, socket, url = '' } = request;
  const actual = socket.localPort ?? port;
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) throw new AcqError('host_not_allowed', 'The request has more than one Host header.');
  policy.checkHost(headers.host, actual);
  // A request line with an absolute address overrides the Host header.
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (authority !== undefined) policy.checkHost(authority, actual);
  return { authority, port: actual };
}

function isPreflight(request: FastifyRequest): boolean {
  const { headers } = request;
  return (
    request.method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}

function answerPreflight(guard: Guard, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { headers } = request;
  const methods = guard.methods(request.url);
  const access = methods?.get(String(headers['access-control-request-method'])) ?? 'trusted';
  guard.policy.checkPreflight(headers, access);
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
  return reply.code(204).send();
}

function setCorsHeaders(caller: Caller, reply: FastifyReply): void {
  if (caller.origin === undefined) return;
  reply.header('access-control-allow-origin', caller.origin);
  reply.header('access-control-expose-headers', EXPOSED);
  // Where the time went is for the pages that may read the answer.
  reply.header('timing-allow-origin', caller.origin);
  if (caller.kind !== 'own-page') reply.header('cross-origin-resource-policy', 'cross-origin');
}

/**
 * Requires a body to be declared as JSON, or as raw bytes where a file is sent, which forms and beacons of other sites
 * cannot do without a preflight.
 */
function checkBodyHeaders(
  method: string,
  headers: IncomingHttpHeaders,
  { anyContentType = false, octets = false }: Pick<FastifyContextConfig, 'anyContentType' | 'octets'>,
): void {
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

/** Answers a request without a route: the address does not exist, or not for this method. */
function answerUnrouted(guard: Guard, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const methods = guard.methods(request.url);
  if (!methods) throw nothingAt(request.url);
  const allow = [...methods.keys(), 'OPTIONS'].join(', ');
  reply.header('allow', allow);
  if (request.method === 'OPTIONS') return reply.code(204).send();
  throw new AcqError('method_not_allowed', `${request.method} is not allowed at this address. Use ${allow}.`);
}

/** The refusal of an address that does not exist. */
export function nothingAt(url: string): AcqError {
  const path = url.split('?', 1)[0]!.slice(0, 200);
  return new AcqError('not_found', `There is nothing at ${path}. GET /api/v2 lists the addresses of this server.`);
}

function matches(pattern: string[], segments: string[]): boolean {
  if (pattern.at(-1) === '*') return segments.length >= pattern.length && startsWith(pattern.slice(0, -1), segments);
  return pattern.length === segments.length && startsWith(pattern, segments);
}

function startsWith(pattern: string[], segments: string[]): boolean {
  return pattern.every((part, i) => (part.startsWith(':') ? segments[i] !== '' : part === segments[i]));
}
