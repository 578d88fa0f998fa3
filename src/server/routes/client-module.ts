import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendStatic, toStaticBody } from '../static-body.js';
import type { App } from '../types.js';

/** Address of the client for pages without a bundler. It imports its other modules from the same folder. */
const CLIENT_MODULE = '/client/acquisition-store.js';
const ENTRY = 'index.js';

/**
 * Serves the modules of the built client. They contain no data, but only pages that may use the server can import them:
 * browsers load modules of another origin with CORS, which the guard allows for those pages only.
 */
export function clientModuleRoutes(app: App, folder: string): void {
  for (const name of modulesIn(folder)) {
    const url = name === ENTRY ? CLIENT_MODULE : `/client/${name}`;
    const body = toStaticBody(readFileSync(join(folder, name)), 'text/javascript; charset=utf-8');
    app.get(url, { config: { tokenFree: true, access: 'consent' } }, async (request, reply) =>
      sendStatic(request, reply.header('cache-control', 'no-cache'), body),
    );
  }
}

/** Returns the names of the modules; none when the client was not built. */
function modulesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.js'));
  } catch {
    return [];
  }
}
