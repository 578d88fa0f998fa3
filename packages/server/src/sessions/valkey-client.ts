/** The connection to a Valkey or Redis server. Nothing else imports `ioredis`, and only where a session store is configured. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { Redis } from 'ioredis';

export interface ValkeyOptions {
  /** `redis:`, `rediss:`, `valkey:` or `valkeys:`, with a name and a password if the server wants them. */
  url: string;
  /** File with the certificates of those who may sign that of the server; those of the system when omitted. */
  caFile?: string | undefined;
  /** Milliseconds until a command has failed. */
  timeoutMs: number;
  /** Receives what happens to the connection; never the password. */
  report: (message: string) => void;
}

export interface ValkeyClient {
  /** Runs a script, which the server keeps. @throws AcqError `session_store_unavailable`, `capacity_exceeded` when it is full */
  run(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** @throws AcqError `session_store_unavailable` */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Script {
  /** SHA-1 of the text, by which the server knows it. */
  sha: string;
  text: string;
}

const CONNECT_TIMEOUT_MS = 1_000;
const MIN_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;

/** @throws AcqError `request_validation_failed` when the address or a file is not usable, or `ioredis` is not installed */
export async function createValkeyClient(options: ValkeyOptions): Promise<ValkeyClient> {
  const url = readUrl(options.url);
  const { Redis } = await loadClient();
  const redis = new Redis({ ...toAddress(url), ...toOptions(options), ...readTls(url, options.caFile) });
  let problem = 'it has not answered yet';
  redis.on('error', (error: Error) => {
    const reason = reasonOf(error);
    if (reason !== problem) options.report(`The session store is not available: ${reason}.`);
    problem = reason;
  });
  redis.on('connect', () => {
    problem = 'the connection was lost';
  });
  const attempt = async <T>(command: () => Promise<T>): Promise<T> => {
    try {
      return await command();
    } catch (error) {
      throw toAcqError(error as Error, problem);
    }
  };
  return {
    run: (script, keys, args) => attempt(() => runScript(redis, script, keys, args)),
    ping: () => attempt(async () => void (await ready(redis).then(() => redis.ping()))),
    close: async () => redis.disconnect(),
  };
}

async function runScript(
  redis: Redis,
  { sha, text }: Script,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(text, keys.length, ...keys, ...args);
  }
}

/** Commands fail at once while there is no connection; the first one waits for it. */
async function ready(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const done = (error?: Error) => {
      redis.off('ready', onReady).off('error', onError);
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    };
    const onReady = () => done();
    const onError = (error: Error) => done(error);
    const timer = setTimeout(() => done(new Error('it does not answer')), CONNECT_TIMEOUT_MS);
    redis.on('ready', onReady).on('error', onError);
  });
}

function toOptions({ timeoutMs }: ValkeyOptions) {
  return {
    // A request learns at once that the store is away, and is not kept for later.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: timeoutMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    enableReadyCheck: false,
    // After a failover, the server at the address may be a replica for a moment.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    retryStrategy: (times: number) =>
      Math.min(MIN_RETRY_MS * 2 ** Math.min(times, 10), MAX_RETRY_MS) * (0.75 + Math.random() / 4),
  };
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text.replace(/^valkey/, 'redis')) : undefined;
  if (url && /^rediss?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw badSetting('--session-store must be an address such as redis://HOST:6379 or rediss://NAME:PASSWORD@HOST:6380');
}

function toAddress({ hostname, port, username, password, pathname }: URL) {
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
  };
}

function readTls({ protocol, hostname }: URL, caFile: string | undefined) {
  if (protocol !== 'rediss:') {
    if (caFile !== undefined) throw badSetting('--session-store-ca is for addresses with rediss: or valkeys:');
    return {};
  }
  try {
    // A certificate is checked for the address, too; only names are announced.
    const name = isIP(hostname.replace(/^\[|\]$/g, '')) > 0 ? {} : { servername: hostname };
    return { tls: { ...name, ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }) } };
  } catch (error) {
    throw badSetting(`--session-store-ca ${caFile}: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

async function loadClient(): Promise<Pick<typeof import('ioredis'), 'Redis'>> {
  try {
    return await import('ioredis');
  } catch (error) {
    throw badSetting(
      '--session-store requires the package ioredis, which is not installed. Run: npm install ioredis@6',
      error,
    );
  }
}

function badSetting(message: string, cause?: unknown): AcqError {
  return new AcqError('request_validation_failed', message, { cause });
}

function toAcqError(error: Error, problem: string): AcqError {
  if (error.message.startsWith('OOM')) {
    const message = 'The session store is full (its maxmemory). Delete sessions, or try again later.';
    return new AcqError('capacity_exceeded', message, { cause: error });
  }
  const isAway = /writeable|Connection is closed|not answer/.test(error.message);
  const reason = isAway ? problem : reasonOf(error);
  return new AcqError(
    'session_store_unavailable',
    `The store of the sessions is not available: ${reason}. Sessions are not lost. Try again in a moment.`,
    { cause: error },
  );
}

/** Says what is wrong without anything of the address, which has the password. */
function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const { message } = error;
  if (/timed out|ETIMEDOUT|not answer/.test(message)) return 'it does not answer';
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return code === 'ENOTFOUND' ? 'its name is unknown' : 'it refuses connections';
  if (/WRONGPASS|NOAUTH/.test(message)) return 'it refuses the name or password';
  if (message.startsWith('NOPERM')) return 'its access list does not allow a command that sessions need';
  if (message.startsWith('READONLY')) return 'it is a replica, which only reads';
  if (/certificate|self.signed|CERT_|unable to verify|altname/i.test(`${code} ${message}`))
    return 'its certificate is not trusted';
  if (message.startsWith('LOADING')) return 'it is starting';
  if (message.includes('WRONGTYPE')) return 'another program has given one of its keys another type';
  // The server answers: the connection is there.
  if (error.name === 'ReplyError') return `it refuses a command (${message.split(' ', 1)[0]})`;
  return code === undefined ? 'the connection was lost' : `the connection failed (${code})`;
}
