/** The HTTP server of the control page: on 127.0.0.1 alone, for one page with the token of this start. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { checkHost, checkOrigin, checkToken, type Denial, SECURITY_HEADERS } from './guard.js';
import { ServerError } from './image-server.js';
import type { Refusal, RefusalDetails } from './protocol.js';

/** An error with a message for the user of the page. */
export class PageError extends Error {
  readonly code: string;
  readonly details: RefusalDetails;

  constructor(code: string, message: string, details: RefusalDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** Answers a request with JSON. `signal` is aborted when the page disconnects. */
export type Handler = (body: Record<string, unknown>, signal: AbortSignal) => Promise<object>;

export interface PageServerOptions {
  token: string;
  assets: (name: string) => Uint8Array | undefined;
  /** By method and path: `POST /api/start`. */
  handlers: Readonly<Record<string, Handler>>;
  /** Answers `GET /api/events`, and keeps the response open. */
  listen: (response: ServerResponse) => void;
}

const MAX_BODY_BYTES = 64 * 1024;
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Starts to listen at any free port. */
export async function servePage(options: PageServerOptions): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => refuse(response, error));
  });
  server.headersTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0, exclusive: true }, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: PageServerOptions): Promise<void> {
  const { headers, method = '', url = '' } = request;
  const port = request.socket.localPort ?? 0;
  const denial = checkHost(headers, port);
  if (denial) return deny(response, denial);
  const [path = ''] = url.split('?', 1);
  if (!path.startsWith('/api/')) return sendAsset(response, method, path, options.assets);
  const refused = checkOrigin(headers, port) ?? checkToken(headers, options.token);
  if (refused) return deny(response, refused);
  if (method === 'GET' && path === '/api/events') {
    response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8' });
    return options.listen(response);
  }
  const handler = options.handlers[`${method} ${path}`];
  if (!handler) return deny(response, { status: 404, error: 'not_found', message: `There is nothing at ${path}.` });
  const left = new AbortController();
  response.on('close', () => left.abort());
  const body = method === 'GET' ? {} : await readBody(request);
  sendJson(response, 200, await handler(body, left.signal));
}

function sendAsset(response: ServerResponse, method: string, path: string, assets: PageServerOptions['assets']): void {
  const name = path === '/' ? 'index.html' : path.slice(1);
  const isName = /^[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*$/.test(name);
  const bytes = method === 'GET' && isName ? assets(name) : undefined;
  if (!bytes) {
    deny(response, { status: 404, error: 'not_found', message: 'There is nothing at this address.' });
    return;
  }
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': type, 'content-length': bytes.length });
  response.end(bytes);
}

/** Reads a JSON object. Forms of other sites cannot send its content type. */
async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  if (request.headers['content-type'] !== 'application/json') {
    throw new PageError('unsupported_media_type', 'The body must be JSON.');
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length > MAX_BODY_BYTES) throw new PageError('payload_too_large', 'The body is too large.');
  }
  const body = parseJson(Buffer.concat(parts).toString('utf8'));
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new PageError('invalid_body', 'The body must be a JSON object.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function deny(response: ServerResponse, { status, error, message }: Denial): void {
  sendJson(response, status, { error, message } satisfies Refusal);
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof PageError || error instanceof ServerError ? error.code : 'failed';
  const details = error instanceof PageError ? error.details : {};
  sendJson(response, 400, { error: code, message, ...details } satisfies Refusal);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
