import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { ServerOptions } from '../options.js';
import { hasUsers, isLoopbackHost } from './policy.js';

/**
 * Checks that a server which other computers can reach requires a token and is confined to folders.
 * @throws AcqError `request_validation_failed`
 */
export function checkBind(options: ServerOptions): void {
  const { host, roots } = options;
  const asksWho = options.token !== '' || hasUsers(options);
  if (options.sessionStore !== undefined && !asksWho) {
    throw new AcqError(
      'request_validation_failed',
      '--session-store requires --token or --tokens-file: instances that share sessions serve other computers.',
    );
  }
  if (isLoopbackHost(host) || (asksWho && roots.length > 0)) return;
  const required = [!asksWho && '--token or --tokens-file', roots.length === 0 && '--root DIR']
    .filter(Boolean)
    .join(' and ');
  throw new AcqError(
    'request_validation_failed',
    `${host} is reachable from other computers, which requires ${required}. Bind 127.0.0.1 to serve this computer only.`,
  );
}
