import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AcqError } from '../errors.js';
import type { ServerOptions } from '../options.js';
import { createApp } from './app.js';
import { trackConnections } from './connections.js';
import type { AppDependencies } from './dependencies.js';
import { bracketed, isLoopbackHost } from './policy.js';

/** A server that answers. */
export interface RunningServer {
  /** Base address for clients on this machine, without a slash at its end. */
  url: string;
  port: number;
  /** Ends opens and dialogs, lets running downloads finish for a moment, frees port and workers. */
  close(): Promise<void>;
}

/** Milliseconds that running downloads have when the server stops. */
const GRACE_MS = 5_000;

/**
 * @throws AcqError `request_validation_failed` for a bind that the policy refuses; the system's error when the port
 * cannot be had (`EADDRINUSE`, `EACCES`, …)
 */
export async function listen(
  options: ServerOptions,
  deps: Omit<AppDependencies, 'stopping'>,
  graceMs = GRACE_MS,
): Promise<RunningServer> {
  checkBind(options);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const app = await createApp(options, { ...deps, stopping: stopping.signal });
  // An expectation that is not understood may be ignored (RFC 9110 §10.1.1); Node would answer without an envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const connections = trackConnections(app.server);
  await app.listen({
    host: bindHost(options.host),
    port: options.port,
    exclusive: true,
    listenTextResolver: (address) => `listening at ${address}`,
  });
  const { port } = app.server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const close = async () => {
    stopping.abort();
    await connections.drain(graceMs);
    await app.close();
    await deps.sessions.close();
  };
  return {
    url: `http://${bracketed(clientHost(options.host))}:${port}`,
    port,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/**
 * Reachable from other machines: whoever asks must be known, and what they can ask for must be fenced in.
 * @throws AcqError `request_validation_failed`
 */
export function checkBind({ host, token, roots }: ServerOptions): void {
  if (isLoopbackHost(host) || (token !== '' && roots.length > 0)) return;
  const needed = [token === '' && '--token', roots.length === 0 && '--root DIR'].filter(Boolean).join(' and ');
  throw new AcqError(
    'request_validation_failed',
    `${host} is reachable from other machines, which needs ${needed}. Bind 127.0.0.1 to serve this machine only.`,
  );
}

/** For `localhost` the framework would open a second server of its own for IPv6. */
function bindHost(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

function clientHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
