import type { PageFolder } from '../../page-folder.js';
import { nothingAt } from '../guard.js';
import { type StaticBody, sendStatic, toStaticBody } from '../static-body.js';
import type { App } from '../types.js';

const PREFIX = '/client/';
const ENTRY = 'index.js';
/** The client for pages without a bundler, below the prefix. It imports its other modules from the same folder. */
const ENTRY_ADDRESS = 'acquisition-store.js';

/**
 * Serves the modules of the built client. They contain no data, but only pages that may use the server can import them:
 * browsers load modules of another origin with CORS, which the guard allows for those pages only.
 */
export function clientModuleRoutes(app: App, folder: PageFolder): void {
  const modules = new Map<string, StaticBody>();
  for (const name of folder.names().filter(isModule))
    modules.set(
      name === ENTRY ? ENTRY_ADDRESS : name,
      toStaticBody(folder.read(name), 'text/javascript; charset=utf-8'),
    );
  app.get<{ Params: { '*': string } }>(
    `${PREFIX}*`,
    { config: { tokenFree: true, access: 'consent' } },
    async (request, reply) => {
      const body = modules.get(request.params['*']);
      if (!body) throw nothingAt(request.url);
      return sendStatic(request, reply.header('cache-control', 'no-cache'), body);
    },
  );
}

function isModule(name: string): boolean {
  return name.endsWith('.js') && !name.includes('/');
}
