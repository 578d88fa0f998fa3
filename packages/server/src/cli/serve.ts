import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { openAddress } from '../browser.js';
import { packageVersion } from '../package-files.js';
import { processStart } from '../processes.js';
import type { RunningServer } from '../server/listen.js';
import { startServer } from '../server/start.js';
import { type AddressOwner, findAddressOwner, localUrl } from './address-owner.js';
import { answerStarter } from './control.js';
import { EXIT } from './exit-codes.js';
import { livingInstances, removeInstance, writeInstance } from './instance.js';
import { createLog, type Log } from './logging.js';
import { complain } from './message.js';
import type { ServeSettings } from './serve-settings.js';
import { UsageError } from './usage-error.js';
import { visible } from './visible.js';

/** A server and the secret of its instance file. */
type IdentifiedServer = RunningServer & { secret: string };

/** Starts the server and runs it until a signal ends it. Returns the exit code. */
export async function serve(settings: ServeSettings): Promise<number> {
  const log = await createLog(settings);
  // Listen before printing: a program that reads the addresses may stop the server at once.
  const signal =
    settings.stopWithStdin || settings.controlWithStdin ? Promise.race([nextSignal(), endOfInput()]) : nextSignal();
  try {
    const secret = randomBytes(32).toString('hex');
    const server = await start(settings, log, secret);
    if (typeof server === 'number') return server;
    return await runUntil(signal, settings, { ...server, secret }, log);
  } finally {
    log.close();
  }
}

function reportOwner(owner: AddressOwner, settings: ServeSettings): number {
  const { host, port } = settings;
  if (owner.kind === 'other') {
    complain(
      `${host}:${port} is in use by ${visible(owner.description)}.\n` +
        `Stop that program, or choose another port: acqstore serve --port ${port === 8767 ? 8768 : 8767}`,
    );
    return EXIT.addressTaken;
  }
  const who = owner.pid === undefined ? '' : `, process ${owner.pid}`;
  const viewer = `${owner.url}/demo/v2/`;
  console.log(
    `Acquisition Store Server ${visible(owner.version)} is already running${who}:\n  Viewer  ${viewer}\n` +
      'No second server was started. To run one with its own settings, choose another --port.',
  );
  if (settings.open) {
    void openAddress(viewer).catch((error: Error) =>
      complain(`the browser could not be opened (${visible(error.message)})`),
    );
  }
  return EXIT.ok;
}

/** Starts the server. Returns an exit code instead when another program uses the address. */
async function start(settings: ServeSettings, log: Log, secret: string): Promise<RunningServer | number> {
  const { logLevel, open, stopWithStdin, controlWithStdin, ...options } = settings;
  try {
    const logFile = log.path === undefined ? {} : { logFile: log.path };
    return await startServer(options, { logger: log.logger, instanceSecret: secret, ...logFile });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') {
      return reportOwner(await findAddressOwner(settings.host, settings.port, settings.stateDir), settings);
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new UsageError(`--host ${settings.host} --port ${settings.port}: the address cannot be used (${code})`);
    }
    // The security policy refuses the address.
    if (error instanceof AcqError && error.code === 'request_validation_failed') throw new UsageError(error.message);
    throw error;
  }
}

async function runUntil(
  signal: Promise<NodeJS.Signals>,
  settings: ServeSettings,
  server: IdentifiedServer,
  log: Log,
): Promise<number> {
  const instanceFile = tryWriteInstance(settings, server, log);
  if (settings.controlWithStdin) answerStarter(server, log.logger);
  announce(settings, server, log, instanceFile);
  await signal;
  if (settings.drainSeconds > 0) {
    log.logger.info({ seconds: settings.drainSeconds }, 'no longer ready; still answering');
    server.drain();
    await setTimeout(settings.drainSeconds * 1000);
  }
  log.logger.info({ signal: await signal }, 'stopping');
  const haveThreadsEnded = await server.close();
  removeInstance(settings.stateDir, server.port, process.pid);
  log.logger.info('stopped');
  if (!haveThreadsEnded) {
    log.logger.warn('a network drive does not answer, so a thread is stuck; the process ends by its signal');
    endBy(await signal);
  }
  return EXIT.ok;
}

/** Writes the instance file and returns its path. The server runs without it when the folder is not writable. */
function tryWriteInstance(settings: ServeSettings, server: IdentifiedServer, log: Log): string | undefined {
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
    log.logger.warn(`the instance file cannot be written: ${(error as Error).message}`);
    return undefined;
  }
}

function announce(settings: ServeSettings, server: IdentifiedServer, log: Log, instanceFile: string | undefined): void {
  const url = localUrl(settings.host, server.port);
  const lines = [
    `Acquisition Store Server ${packageVersion()}`,
    `  Viewer  ${url}/demo/v2/`,
    `  API     ${url}/api/v2`,
    `  Docs    ${url}/docs`,
    `  Log     ${log.path ?? `not written: ${log.problem}`}`,
  ];
  if (server.opsPort !== undefined) lines.push(`  Ops     ${settings.opsListen}: /livez, /readyz, /metrics`);
  if (settings.token !== '') lines.push(`  Token   ${describeToken(settings, instanceFile)}`);
  const users = [settings.tokensFile, settings.oidcIssuer].filter((source) => source !== undefined);
  if (users.length > 0) lines.push(`  Users   ${users.join(', ')}`);
  lines.push('Press Ctrl-C to stop.');
  // The program that started the server expects nothing but answers.
  if (!settings.controlWithStdin) console.log(lines.map(visible).join('\n'));
  log.logger.info({ url, version: packageVersion(), stateDir: settings.stateDir }, 'started');
  if (!settings.open) return;
  // The token travels in the fragment: it is not sent, not logged, and the page takes it out of the address.
  const page = `${url}/demo/v2/${settings.token === '' ? '' : `#token=${encodeURIComponent(settings.token)}`}`;
  void openAddress(page).catch((error: Error) => log.logger.warn(`the browser could not be opened: ${error.message}`));
}

/** Returns the token on a terminal only, because piped output ends up in files. */
function describeToken(settings: ServeSettings, instanceFile: string | undefined): string {
  if (process.stdout.isTTY) return settings.token;
  return instanceFile === undefined ? 'as given' : `in ${instanceFile}`;
}

/** Ends the process by the default action of the signal; `process.exit` would wait for threads stuck in the system. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Resolves with the first signal, for a clean stop. A second one ends the process at once. */
function nextSignal(): Promise<NodeJS.Signals> {
  let isFirst = true;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (!isFirst) endBy(signal);
        isFirst = false;
        resolve(signal);
      });
    }
  });
}

/**
 * Resolves when standard input ends. A pipe from another program ends with that program, also where it is killed and on
 * Windows, which has no signals.
 */
function endOfInput(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const done = () => resolve('SIGTERM');
    const { stdin } = process;
    stdin.once('end', done).once('close', done).once('error', done);
    // The reader of the output ends together with its writer of the input: the last lines go to the log file alone.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
    // Nobody reads it. An open pipe must not keep the process alive after a signal.
    stdin.resume();
    if (stdin instanceof Socket) stdin.unref();
  });
}
