import type { ServerOptions } from '../../options.js';
import type { PageFolder } from '../../page-folder.js';
import type { AppDependencies } from '../dependencies.js';
import type { Json } from '../openapi/json.js';
import { hasUsers, isLoopbackHost } from '../policy.js';
import { type StaticBody, sendStatic, toStaticBody } from '../static-body.js';
import { serveFolder } from '../static-folder.js';
import type { App } from '../types.js';
import { createIndex } from './discovery.js';

const PAGE = { config: { tokenFree: true, page: 'linked' } } as const;

/** File in the folder of the interactive documentation. */
const CONTRACT = 'llms.txt';

/** What v1 answered where the demo was missing. */
const NO_DEMO = { detail: 'The demo has not been built. Run "npm run build" and start the server again.' };

/**
 * Registers the pages for people. They contain no data and load everything from the API. All addresses in them, and those of
 * redirects, are relative, because the server may be behind a path of a proxy.
 */
export function pageRoutes(
  app: App,
  options: ServerOptions,
  { folders }: AppDependencies,
  toOpenApi: () => Json,
): void {
  const index = createIndex();
  app.get('/', PAGE, async (request, reply) => {
    if (/\btext\/html\b/.test(request.headers.accept ?? '')) return reply.redirect(`demo/v2/${queryOf(request.url)}`);
    return reply.send(index);
  });
  app.get('/demo/v2', PAGE, async ({ url }, reply) => reply.redirect(`v2/${queryOf(url)}`));
  serveFolder(app, folders.demo, { prefix: '/demo/v2/', framedBy: frameAncestors(options) });
  demoOfV1(app, folders.demoV1);
  app.get('/docs/', PAGE, async ({ url }, reply) => reply.redirect(`../docs${queryOf(url)}`));
  const docs = serveFolder(app, folders.docs, { prefix: '/docs/', home: ['/docs'] });
  contractForAssistants(app, docs.get(CONTRACT));
  // Created for the first who asks: it takes as long as a tenth of the start.
  let openApi: StaticBody | undefined;
  app.get('/openapi.json', { config: { tokenFree: true } }, async (request, reply) => {
    openApi ??= toStaticBody(Buffer.from(JSON.stringify(toOpenApi())), 'application/json; charset=utf-8');
    return sendStatic(request, reply.header('cache-control', 'no-cache'), openApi);
  });
}

/** Serves the contract in one page where programs that write programs look for it (llmstxt.org). */
function contractForAssistants(app: App, contract: (() => StaticBody) | undefined): void {
  if (!contract) return;
  app.get(`/${CONTRACT}`, { config: { tokenFree: true } }, async (request, reply) =>
    sendStatic(request, reply.header('cache-control', 'no-cache'), contract()),
  );
}

/** Serves the frozen demo of API v1 at its old addresses. */
function demoOfV1(app: App, folder: PageFolder): void {
  app.get('/demo', PAGE, async ({ url }, reply) => reply.redirect(`demo/${queryOf(url)}`));
  serveFolder(app, folder, {
    prefix: '/demo-assets/',
    home: ['/demo/', '/demo/index.html'],
    placeholder: { status: 404, type: 'application/json; charset=utf-8', text: JSON.stringify(NO_DEMO) },
    missing: { detail: 'Not Found' },
  });
}

/** Returns the query of an address with its question mark: what a page is to open. */
function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}

/**
 * Returns who may show the viewer in a frame: pages of `--allow-origin`; and where nobody needs a token, pages of this
 * computer, which may use the server anyway, and notebooks of VS Code, which have no web address. Elsewhere the viewer may
 * have a token or a login that such a page lacks. Content Security Policy has no form for `[::1]`.
 */
function frameAncestors(options: ServerOptions): string {
  const { allowOrigins, host, token, sessionStore } = options;
  const isOpen = isLoopbackHost(host) && token === '' && sessionStore === undefined && !hasUsers(options);
  const pages = isOpen ? ['http://127.0.0.1:*', 'http://localhost:*', 'vscode-webview:', 'vscode-file:'] : [];
  return ["'self'", ...pages, ...allowOrigins.filter((origin) => !origin.includes('['))].join(' ');
}
