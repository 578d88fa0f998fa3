import type { PageFolder } from '../../page-folder.js';
import { sendStatic, toStaticBody } from '../static-body.js';
import type { App } from '../types.js';

/** Address of the client for pages without a bundler. It imports its other modules from the same folder. */
const CLIENT_MODULE = '/client/acquisition-store.js';
const ENTRY = 'index.js';

/**
 * Serves the modules of the built client. They contain no data, but only pages that may use the server can import them:
 * browsers load modules of another origin with CORS, which the guard allows for those pages only.
 */
export function clientModuleRoutes(app: App, folder: PageFolder): void {
  for (const name of folder.names().filter(isModule)) {
    const url = name === ENTRY ? CLIENT_MODULE : `/client/${name}`;
    const body = toStaticBody(folder.read(name), 'text/javascript; charset=utf-8');
    app.get(url, { config: { tokenFree: true, access: 'consent' } }, async (request, reply) =>
      sendStatic(request, reply.header('cache-control', 'no-cache'), body),
    );
  }
}

function isModule(name: string): boolean {
  return name.endsWith('.js') && !name.includes('/');
}
