/** Finds a running server of this user, or starts one in this process. */
import { randomBytes } from 'node:crypto';
import { startServer } from '../../server/start.js';
import type { McpFlags } from '../flags.js';
import { createLog } from '../logging.js';
import { findServers } from '../running.js';
import type { ServeSettings } from '../serve-settings.js';
import { resolveSettings } from '../settings.js';
import { noServer } from '../status.js';
import { UsageError } from '../usage-error.js';
import type { ConnectedServer } from './link.js';

/**
 * Returns the running server, or a new one when none is running or roots are given: only a server of its own is certain to
 * keep them.
 * @throws UsageError when it is not clear which server to use
 */
export async function connectServer(flags: McpFlags): Promise<ConnectedServer> {
  const { port, root, stateDir, config = process.env['ACQSTORE_CONFIG'] } = flags;
  const given = { root, 'state-dir': stateDir };
  const settings = resolveSettings({ flags: given, env: process.env, ...(config ? { file: config } : {}) });
  const isConfined = settings.roots.length > 0;
  if (port !== undefined && isConfined) {
    throw new UsageError(
      `--port ${port}: the running server has its own roots. Remove --port, or the roots (--root, ACQSTORE_ROOT, settings file).`,
    );
  }
  return (isConfined ? undefined : await findRunning(settings, port)) ?? startOwn(settings);
}

async function findRunning({ stateDir }: ServeSettings, port?: number): Promise<ConnectedServer | undefined> {
  const candidates = await findServers(stateDir, port);
  const servers = candidates.filter(({ state }) => state === 'running');
  if (servers.length > 1) {
    const ports = servers.map((server) => server.port).join(', ');
    throw new UsageError(`${servers.length} servers are running, at ports ${ports}. Add --port PORT.`);
  }
  const [server] = servers;
  if (server) {
    const token = process.env['ACQSTORE_TOKEN'] || server.token;
    return { url: server.url, token, close: async () => {} };
  }
  if (port !== undefined) throw new UsageError(`${noServer(port)} Start it, or remove --port.`);
  return undefined;
}

/** Starts a server for this process alone: without users, other computers, uploads and a session store. */
async function startOwn(settings: ServeSettings): Promise<ConnectedServer> {
  const { logLevel, open, stopWithStdin, controlWithStdin, ...options } = settings;
  const { tokensFile, oidcIssuer, oidcAudience, oidcJwks, sessionStore, opsListen, ...alone } = options;
  const token = randomBytes(24).toString('base64url');
  const log = await createLog({ ...settings, token, port: 0 });
  try {
    const server = await startServer(
      {
        ...alone,
        host: '127.0.0.1',
        port: 0,
        token,
        userRoots: [],
        allowOrigins: [],
        allowHosts: [],
        allowFilePages: false,
        trustProxies: [],
        uploadBudgetBytes: 0,
        coldStart: true,
      },
      { logger: log.logger },
    );
    const close = () => server.close().finally(() => log.close());
    return { url: server.url, token, close };
  } catch (error) {
    log.close();
    throw error;
  }
}
