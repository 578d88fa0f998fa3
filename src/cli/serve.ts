import { randomBytes } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { AcqError } from '../errors.js';
import { packageVersion } from '../server/about.js';
import type { RunningServer } from '../server/listen.js';
import { startServer } from '../server/start.js';
import { checkAddressSpace } from './address-space.js';
import { openBrowser } from './browser.js';
import { EXIT } from './exit-codes.js';
import { livingInstances, removeInstance, writeInstance } from './instance.js';
import { createLog, type Log } from './logging.js';
import { localUrl, type Neighbour, whoAnswers } from './neighbour.js';
import { processStart } from './process.js';
import type { ServeSettings } from './serve-settings.js';
import { UsageError } from './usage-error.js';
import { visible } from './visible.js';

/** A server and the secret of its instance file. */
type OwnServer = RunningServer & { secret: string };

/** Starts the server and runs it until a signal ends it. @returns the exit code */
export async function serve(settings: ServeSettings): Promise<number> {
  checkAddressSpace(settings.decodeWorkers || availableParallelism());
  const log = createLog(settings);
  // Listened for before anything is printed: whoever reads the addresses may end the server at once.
  const signal = nextSignal();
  try {
    const secret = randomBytes(32).toString('hex');
    const server = await start(settings, log, secret);
    if (typeof server === 'number') return server;
    return await runUntil(signal, settings, { ...server, secret }, log);
  } finally {
    log.close();
  }
}

function introduce(neighbour: Neighbour, settings: ServeSettings): number {
  const { host, port } = settings;
  if (neighbour.kind === 'alien') {
    console.error(
      `acqstore: ${host}:${port} is in use by ${visible(neighbour.description)}.\n` +
        `Stop it, or choose another port: acqstore serve --port ${port === 8767 ? 8768 : 8767}`,
    );
    return EXIT.addressTaken;
  }
  const who = neighbour.pid === undefined ? '' : `, process ${neighbour.pid}`;
  const viewer = `${neighbour.url}/demo/v2/`;
  console.log(
    `Acquisition Store Server ${visible(neighbour.version)} is already running${who}:\n  Viewer  ${viewer}\n` +
      'Nothing was started. To run a second server with its own settings, choose another --port.',
  );
  if (settings.open) {
    openBrowser(viewer, (reason) => console.error(`acqstore: no browser could be opened (${visible(reason)})`));
  }
  return EXIT.ok;
}

/** @returns the exit code instead when another program has the address */
async function start(settings: ServeSettings, log: Log, secret: string): Promise<RunningServer | number> {
  const { logLevel, open, ...options } = settings;
  try {
    return await startServer(options, { logger: log.logger, instanceSecret: secret });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') {
      return introduce(await whoAnswers(settings.host, settings.port, settings.stateDir), settings);
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new UsageError(`--host ${settings.host} --port ${settings.port}: cannot be bound (${code})`);
    }
    // A bind that the security policy refuses.
    if (error instanceof AcqError && error.code === 'request_validation_failed') throw new UsageError(error.message);
    throw error;
  }
}

async function runUntil(
  signal: Promise<NodeJS.Signals>,
  settings: ServeSettings,
  server: OwnServer,
  log: Log,
): Promise<number> {
  const note = leaveNote(settings, server, log);
  announce(settings, server, log, note);
  log.logger.info({ signal: await signal }, 'stopping');
  const haveThreadsEnded = await server.close();
  removeInstance(settings.stateDir, server.port, process.pid);
  log.logger.info('stopped');
  if (!haveThreadsEnded) {
    log.logger.warn('a network drive does not answer: the process ends by its signal, for a thread hangs there');
    endBy(await signal);
  }
  return EXIT.ok;
}

/** The instance file. Without a state folder that can be written the server runs all the same. */
function leaveNote(settings: ServeSettings, server: OwnServer, log: Log): string | undefined {
  const others = livingInstances(settings.stateDir).filter(({ pid }) => pid !== process.pid);
  for (const { url, pid } of others) log.logger.info({ url, otherPid: pid }, 'another server of this user is running');
  try {
    return writeInstance(settings.stateDir, {
      pid: process.pid,
      hostname: hostname(),
      port: server.port,
      url: localUrl(settings.host, server.port),
      token: settings.token,
      secret: server.secret,
      processStart: processStart(process.pid),
      startedAt: new Date().toISOString(),
      version: packageVersion(),
    });
  } catch (error) {
    log.logger.warn(`no instance file: ${(error as Error).message}`);
    return undefined;
  }
}

function announce(settings: ServeSettings, server: OwnServer, log: Log, note: string | undefined): void {
  const url = localUrl(settings.host, server.port);
  const lines = [
    `Acquisition Store Server ${packageVersion()}`,
    `  Viewer  ${url}/demo/v2/`,
    `  API     ${url}/api/v2`,
    `  Docs    ${url}/docs`,
    `  Log     ${log.path ?? `not written: ${log.problem}`}`,
  ];
  if (settings.token !== '') lines.push(`  Token   ${tokenLine(settings, note)}`);
  lines.push('Ctrl-C stops it.');
  console.log(lines.map(visible).join('\n'));
  log.logger.info({ url, version: packageVersion(), stateDir: settings.stateDir }, 'started');
  if (!settings.open) return;
  // The token travels in the fragment: it is not sent, not logged, and the page takes it out of the address.
  const page = `${url}/demo/v2/${settings.token === '' ? '' : `#token=${encodeURIComponent(settings.token)}`}`;
  openBrowser(page, (reason) => log.logger.warn(`no browser could be opened: ${reason}`));
}

/** Shown on a terminal only: what is piped ends up in files. */
function tokenLine(settings: ServeSettings, note: string | undefined): string {
  if (process.stdout.isTTY) return settings.token;
  return note === undefined ? 'as given' : `in ${note}`;
}

/** Ends the process like a program that does not listen: an exit would wait for threads that hang in the system. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** The first signal ends cleanly; a second one does not wait. */
function nextSignal(): Promise<NodeJS.Signals> {
  let first = true;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (!first) endBy(signal);
        first = false;
        resolve(signal);
      });
    }
  });
}
