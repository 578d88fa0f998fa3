import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AcqError } from '../errors.js';
import type { ServerOptions } from '../options.js';
import { createApp } from './app.js';
import { type ConnectionLimits, defaultConnectionLimits } from './connection-limits.js';
import { Connections } from './connections.js';
import type { AppDependencies } from './dependencies.js';
import { bracketed, isLoopbackHost } from './policy.js';

/** A server that answers. */
export interface RunningServer {
  /** Base address for clients on this machine, without a slash at its end. */
  url: string;
  port: number;
  /**
   * Frees the port, ends opens and dialogs, lets downloads finish for up to 30 s, as long as their bytes flow, and ends
   * the workers.
   * @returns whether every thread has ended. One that hangs in a system call, on a network drive that does not answer,
   * would keep the process from ending by itself.
   */
  close(): Promise<boolean>;
}

/**
 * @throws AcqError `request_validation_failed` for a bind that the policy refuses; the system's error when the port
 * cannot be had (`EADDRINUSE`, `EACCES`, …)
 */
export async function listen(
  options: ServerOptions,
  deps: Omit<AppDependencies, 'stopping'>,
  overrides: Partial<ConnectionLimits> = {},
): Promise<RunningServer> {
  checkBind(options);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const limits = { ...defaultConnectionLimits(), ...overrides };
  const connections = new Connections(limits);
  const app = await createApp(options, { ...deps, stopping: stopping.signal }, limits, connections);
  await app.listen({
    host: bindHost(options.host),
    port: options.port,
    exclusive: true,
    listenTextResolver: (address) => `listening at ${address}`,
  });
  const { port } = app.server.address() as AddressInfo;
  let closed: Promise<boolean> | undefined;
  const close = async () => {
    stopping.abort();
    const { answering } = connections;
    if (answering > 0) app.log.info({ answering }, `waiting up to ${limits.drainMs / 1000} s for downloads to finish`);
    await connections.drain(app.server);
    await app.close();
    return deps.sessions.close();
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
