/** Listens at `127.0.0.1` and `::1`: on some systems browsers try `::1` first for `localhost`. */
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { App } from './types.js';

const IPV4 = '127.0.0.1';
const IPV6 = '::1';
/** How many free ports of one address to try before the other has one of them, too. */
const MAX_TRIES = 16;

/**
 * Starts to listen. Returns the listener at `::1`, whose connections the server answers like its own; `undefined` where the
 * server is bound to another address, and where the system has no IPv6 or another program has the port there.
 * @throws the system's error when the port is not available at `host`
 */
export async function listenAt(app: App, host: string, port: number): Promise<Server | undefined> {
  // For `localhost` the framework would open a second server, whose connections have no limits.
  const address = host === 'localhost' ? IPV4 : host;
  await app.ready();
  if (address !== IPV4) {
    await listenApp(app, address, port);
    return undefined;
  }
  if (port === 0) return listenAtFreePort(app);
  await listenApp(app, IPV4, port);
  const second = await listenBeside(app, port);
  if (typeof second !== 'string') return second;
  if (second === 'EADDRINUSE') {
    app.log.warn(`another program uses [${IPV6}]:${port}; the server answers at ${IPV4}:${port} only`);
  }
  return undefined;
}

/** Takes a port that is free at both addresses. */
async function listenAtFreePort(app: App): Promise<Server | undefined> {
  for (let tries = 1; ; tries++) {
    const second = await listenBeside(app, 0);
    if (typeof second === 'string') {
      await listenApp(app, IPV4, 0);
      return undefined;
    }
    try {
      await listenApp(app, IPV4, (second.address() as AddressInfo).port);
      return second;
    } catch (error) {
      second.close();
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === MAX_TRIES) throw error;
    }
  }
}

function listenApp(app: App, host: string, port: number): Promise<string> {
  return app.listen({ host, port, exclusive: true, listenTextResolver: (address) => `listening at ${address}` });
}

/** Listens at `::1` for the server. Returns the code of the system's error instead when that is not possible. */
function listenBeside({ server, log }: App, port: number): Promise<Server | string> {
  const second = createServer((socket) => server.emit('connection', socket));
  return new Promise((resolve) => {
    second.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
    second.listen({ host: IPV6, port, exclusive: true }, () => {
      second.on('error', (err) => log.error({ err }, `the listener at [${IPV6}] has an error`));
      resolve(second);
    });
  });
}
