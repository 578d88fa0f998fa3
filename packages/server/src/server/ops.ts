/**
 * A listener of its own for those who operate the server: probes and metrics. It has nothing of a user, so that it needs no
 * token. Pages of the web may not ask it, not even by a name that was rebound to this computer.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv4, isIPv6 } from 'node:net';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { bracketed, hostRefused, LOOPBACK_NAMES, parseHost } from './policy.js';
import type { Prometheus } from './prometheus.js';

export interface OpsSources {
  /** For each root, whether its storage answers. */
  roots: () => readonly boolean[];
  isDraining: () => boolean;
  /** `none` without a store that instances share. */
  store: () => 'none' | 'ready' | 'unavailable';
  prometheus: Prometheus;
  /** Names that the operator added. */
  allowHosts: readonly string[];
}

/** @throws AcqError `host_not_allowed` */
type HostCheck = (host: string | undefined, port: number) => void;

export interface OpsListener {
  port: number;
  close(): Promise<void>;
}

const ADDRESS = /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+)):(?<digits>\d{1,5})$/;

/** @throws AcqError `request_validation_failed`; the system's error when the address is not available */
export async function listenForOps(address: string, sources: OpsSources): Promise<OpsListener> {
  const { host, port } = readAddress(address);
  const checkHost = hostCheck(host, sources.allowHosts);
  const server = createServer((request, response) => {
    const refusal = findHostProblem(request, checkHost);
    if (refusal === undefined) void answer(request, response, sources);
    else send(response, 403, refusal);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host, port, exclusive: true }, resolve);
  });
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

/** Returns why a request is refused by its Host. */
function findHostProblem({ headers, socket }: IncomingMessage, checkHost: HostCheck): string | undefined {
  try {
    checkHost(headers.host, socket.localPort ?? 0);
    return undefined;
  } catch (error) {
    return `${(error as Error).message}\n`;
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, sources: OpsSources): Promise<void> {
  request.resume();
  if (request.headers.origin !== undefined) return send(response, 403, 'Pages may not ask this listener.\n');
  if (request.method !== 'GET') return send(response, 405, 'Only GET is answered here.\n');
  const path = request.url?.split('?')[0];
  if (path === '/livez') return send(response, 200, 'ok\n');
  if (path === '/readyz') return sendReadiness(response, sources);
  if (path !== '/metrics') return send(response, 404, 'There are /livez, /readyz and /metrics.\n');
  const { contentType, text } = sources.prometheus;
  try {
    send(response, 200, await text(), contentType);
  } catch (error) {
    send(response, 500, `The metrics cannot be read: ${(error as Error).message}\n`);
  }
}

/**
 * Storage belongs to one machine, whose instance is not ready without it. The session store belongs to all: if it made them
 * unready, there would be none left to say what is wrong.
 */
function sendReadiness(response: ServerResponse, { roots, isDraining, store }: OpsSources): void {
  const body = {
    draining: isDraining(),
    roots: roots().map((isReady) => (isReady ? 'ready' : 'unavailable')),
    store: store(),
  };
  const isReady = !body.draining && !body.roots.includes('unavailable');
  send(response, isReady ? 200 : 503, `${JSON.stringify({ ready: isReady, ...body })}\n`, 'application/json');
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function readAddress(text: string): { host: string; port: number } {
  const { bracketed, plain, digits } = ADDRESS.exec(text)?.groups ?? {};
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host !== undefined && port <= 65_535) return { host, port };
  throw new AcqError(
    'request_validation_failed',
    `--ops-listen ${text}: must be an address and a port, for example 127.0.0.1:9767`,
  );
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/**
 * The check of the operations listener. Probes and scrapers use the address of a container or computer, or send no Host.
 * A page whose name was rebound to this computer can send neither.
 */
function hostCheck(bound: string, allowHosts: readonly string[]): HostCheck {
  const names = new Set([...LOOPBACK_NAMES, bracketed(bound), ...allowHosts].map((name) => name.toLowerCase()));
  return (host, port) => {
    const parsed = parseHost(host);
    if (host === undefined || (parsed && (names.has(parsed.name) || isAddress(parsed.name)))) return;
    throw hostRefused(host, `Use an address such as 127.0.0.1:${port}, or start the server with --allow-host NAME.`);
  };
}

/** True for an address in the form that browsers send: `10.0.0.7` or `[fd00::7]`. */
function isAddress(name: string): boolean {
  return name.startsWith('[') ? isIPv6(name.slice(1, -1)) : isIPv4(name);
}
