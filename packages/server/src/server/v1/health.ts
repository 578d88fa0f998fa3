import { basename } from 'node:path';
import { V1Health } from '@acquisition-store/client/contract/v1.js';
import type { ServerOptions } from '../../options.js';
import type { Caller } from '../caller.js';
import type { AppDependencies } from '../dependencies.js';
import { bracketed, hasUsers, isLoopbackHost } from '../policy.js';
import type { App } from '../types.js';

export function v1Health(app: App, version: string, options: ServerOptions, { logFile }: AppDependencies): void {
  app.get(
    '/api/v1/health',
    {
      config: { access: 'consent', tokenFree: true },
      schema: { response: { 200: V1Health } },
      exposeHeadRoute: false,
    },
    async ({ caller, raw }): Promise<V1Health> => ({
      ok: true,
      app: 'acqstore_server',
      version,
      bind: `${bracketed(options.host)}:${raw.socket.localPort ?? options.port}`,
      docs: '/docs',
      demo: '/demo/',
      logFile: logFile === undefined ? null : isTrusted(caller, options) ? logFile : basename(logFile),
    }),
  );
}

/** A path reveals the name of the user: only callers that may open all files by path learn it. */
function isTrusted({ kind, authorized }: Caller, options: ServerOptions): boolean {
  if (hasUsers(options)) return false;
  return authorized || (kind !== 'file-page' && options.token === '' && isLoopbackHost(options.host));
}
