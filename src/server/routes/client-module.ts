import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendStatic, toStaticBody } from '../static-body.js';
import type { App } from '../types.js';

/** The client for pages without a bundler; it imports its other modules from the same folder. */
export const CLIENT_MODULE = '/client/acquisition-store.js';
const ENTRY = 'index.js';

/**
 * Serves the modules of the built client. They hold no data, but only pages that may use the server can import them:
 * browsers fetch modules of another origin with CORS, which the guard answers for those pages alone.
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

/** None when the client was not built. */
function modulesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.js'));
  } catch {
    return [];
  }
}
