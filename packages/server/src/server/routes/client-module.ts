import type { PageFolder } from '../../page-folder.js';
import { readFiles, serveFiles } from '../static-folder.js';
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
  const modules = readFiles(folder, (name) => (isModule(name) ? 'text/javascript; charset=utf-8' : undefined));
  const entry = modules.get(ENTRY);
  modules.delete(ENTRY);
  if (entry) modules.set(ENTRY_ADDRESS, entry);
  const config = { tokenFree: true, access: 'consent' } as const;
  serveFiles(app, PREFIX, modules, { config, headersOf: () => ({ 'cache-control': 'no-cache' }) });
}

function isModule(name: string): boolean {
  return name.endsWith('.js') && !name.includes('/');
}
