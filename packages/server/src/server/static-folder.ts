import { extname } from 'node:path';
import { PAGE_POLICY as OWN_RESOURCES, workerPolicy } from '@acquisition-store/client/contract/page-policy.js';
import type { PageFolder } from '../page-folder.js';
import { nothingAt } from './guard.js';
import { type StaticBody, sendStatic, toStaticBody } from './static-body.js';
import type { App } from './types.js';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Only the server's own pages may frame most of its pages. */
export const PAGE_POLICY = policyFor("'self'");
const WORKER_POLICY = workerPolicy(PAGE_POLICY);
const WORKER = /^assets\/worker-[\w-]+\.js$/;

const PAGE = 'index.html';

/** Files in this folder have a hash of their content in their name. */
const HASHED = 'assets/';

/** Where the files of a folder are served. */
interface ServedFolder {
  /** Address of the files other than `index.html`, with a slash at its end. */
  prefix: string;
  /** Addresses of `index.html`; `prefix` when omitted. */
  home?: readonly string[];
  /** Answer of the page when it was not built. */
  placeholder?: Placeholder;
  /** Sources of pages that may show `index.html` in a frame; only those of this server when omitted. */
  framedBy?: string;
  /** JSON of the answer 404 to a file that is not there; the envelope when omitted. */
  missing?: object;
}

interface Placeholder {
  status: number;
  type: string;
  text: string;
}

const NOT_BUILT: Placeholder = {
  status: 503,
  type: 'text/plain; charset=utf-8',
  text: 'This page has not been built. Run "npm run build" in the folder of the server and start the server again.\n',
};

/**
 * Serves each file of a folder below the prefix (`/docs/`), and `index.html` at its home. One route serves all files: a
 * route for each took a seventh of the start. Files are read once, at the start: requests cannot traverse folders, and
 * pages do not depend on the storage.
 * @returns the files below the prefix
 */
export function serveFolder(app: App, folder: PageFolder, place: ServedFolder): ReadonlyMap<string, () => StaticBody> {
  const { prefix, home = [prefix], placeholder = NOT_BUILT, framedBy, missing } = place;
  const files = readFiles(folder, (name) => TYPES[extname(name)]);
  const page = files.get(PAGE);
  files.delete(PAGE);
  if (page) servePage(app, home, page, framedBy);
  else servePlaceholder(app, home, placeholder);
  serveFiles(app, prefix, files, { config: { tokenFree: true }, headersOf, missing });
  return files;
}

interface FileAnswers {
  config: { tokenFree: true; access?: 'consent' };
  /** Returns headers of the answer with a file. */
  headersOf: (name: string) => Record<string, string>;
  /** See `ServedFolder`. */
  missing?: object | undefined;
}

/** Serves files below a prefix by one route. */
export function serveFiles(
  app: App,
  prefix: string,
  files: ReadonlyMap<string, () => StaticBody>,
  { config, headersOf, missing }: FileAnswers,
): void {
  app.get<{ Params: { '*': string } }>(`${prefix}*`, { config }, async (request, reply) => {
    const name = request.params['*'];
    const body = files.get(name);
    if (body) return sendStatic(request, reply.headers(headersOf(name)), body());
    if (missing) return reply.code(404).send(missing);
    throw nothingAt(request.url);
  });
}

/** Returns the body of each file that has a type: hashed when it is first asked for. */
export function readFiles(
  folder: PageFolder,
  typeOf: (name: string) => string | undefined,
): Map<string, () => StaticBody> {
  const files = new Map<string, () => StaticBody>();
  for (const name of folder.names()) {
    const type = typeOf(name);
    if (type === undefined) continue;
    const bytes = folder.read(name);
    let body: StaticBody | undefined;
    files.set(name, () => {
      body ??= toStaticBody(bytes, type);
      return body;
    });
  }
  return files;
}

function headersOf(name: string): Record<string, string> {
  return {
    'content-security-policy': WORKER.test(name) ? WORKER_POLICY : PAGE_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': name.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}

function servePage(app: App, home: readonly string[], body: () => StaticBody, framedBy: string | undefined): void {
  const headers = {
    ...headersOf(PAGE),
    ...(framedBy === undefined ? {} : { 'content-security-policy': policyFor(framedBy) }),
  };
  const config = { tokenFree: true, page: framedBy === undefined ? 'linked' : 'framed' } as const;
  for (const url of home) {
    app.get(url, { config }, async (request, reply) => sendStatic(request, reply.headers(headers), body()));
  }
}

function policyFor(framedBy: string): string {
  return `${OWN_RESOURCES}; frame-ancestors ${framedBy}`;
}

/** Serves a placeholder for a page that was not built. */
function servePlaceholder(app: App, home: readonly string[], { status, type, text }: Placeholder): void {
  for (const url of home) {
    app.get(url, { config: { tokenFree: true, page: 'linked' } }, async (_request, reply) => {
      reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' });
      return reply.code(status).type(type).send(text);
    });
  }
}
