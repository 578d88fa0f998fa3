import { setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import type { ServerOptions } from '../options.js';
import type { SessionList } from '../sessions/listing.js';
import { createApp } from './app.js';
import { checkBind } from './bind.js';
import { listenAt } from './both-loopbacks.js';
import { type ConnectionLimits, defaultConnectionLimits } from './connection-limits.js';
import { Connections } from './connections.js';
import type { AppDependencies } from './dependencies.js';
import type { OpsListener } from './ops.js';
import { bracketed } from './policy.js';

export interface OpenSessions {
  list(): SessionList;
  /** Ends a session. Returns false when it has ended already. */
  end(sessionId: string): Promise<boolean>;
}

/** A server that is listening. */
export interface RunningServer {
  /** Base address for clients on this computer, without a trailing slash. */
  url: string;
  port: number;
  /**
   * The open sessions of all clients, for the user of this computer. The id of a session is the permission to read it: do
   * not serve this to web pages.
   */
  openSessions: OpenSessions;
  /** Port of probes and metrics, where they are on. */
  opsPort?: number;
  /** Lets balancers take the server out: it still answers, but is not ready. */
  drain(): void;
  /**
   * Frees the port, ends opens and dialogs, waits up to 30 s for downloads that make progress, and ends the workers.
   * Returns true when every thread has ended. A thread stuck in a system call, on a network drive that does not answer,
   * keeps the process alive.
   */
  close(): Promise<boolean>;
}

/**
 * Starts to listen.
 * @throws AcqError `request_validation_failed` for an address that the policy refuses; the system's error when the port
 * is not available (`EADDRINUSE`, `EACCES`, …)
 */
export async function listen(
  options: ServerOptions,
  deps: Omit<AppDependencies, 'stopping'> & { listenForOps?: () => Promise<OpsListener> },
  overrides: Partial<ConnectionLimits> = {},
): Promise<RunningServer> {
  checkBind(options);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const connections = new Connections({ ...defaultConnectionLimits(options), ...overrides });
  const { listenForOps, ...rest } = deps;
  const drain = deps.drain ?? { isDraining: false };
  const app = await createApp(options, { ...rest, drain, stopping: stopping.signal }, connections);
  const ops = await listenForOps?.();
  const second = await listenAt(app, options.host, options.port).catch(async (error: unknown) => {
    await ops?.close();
    throw error;
  });
  const { port } = app.server.address() as AddressInfo;
  let closed: Promise<boolean> | undefined;
  const close = async () => {
    deps.following.stop();
    // After a drain, what is under way may end by itself: opens, too.
    if (!drain.isDraining) stopping.abort();
    const { answering, limits } = connections;
    if (answering > 0) app.log.info({ answering }, `waiting up to ${limits.drainMs / 1000} s for downloads to finish`);
    second?.close();
    stopListening(app.server);
    await connections.drain();
    stopping.abort();
    await app.close();
    const haveThreadsEnded = await deps.sessions.close();
    await deps.uploads.close();
    await deps.audit?.close();
    await ops?.close();
    return haveThreadsEnded;
  };
  return {
    url: `http://${bracketed(clientHost(options.host))}:${port}`,
    port,
    ...(ops ? { opsPort: ops.port } : {}),
    drain: () => {
      drain.isDraining = true;
    },
    openSessions: { list: () => deps.sessions.list(), end: (sessionId) => deps.sessions.endAny(sessionId) },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** The `close` of the HTTP server would destroy connections; see `Connections`. In Bun, the HTTP server is not a TCP server. */
function stopListening(server: Server): void {
  if (server instanceof TcpServer) TcpServer.prototype.close.call(server);
  else (server as Server).close();
}

function clientHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
