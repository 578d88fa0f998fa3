import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino, stdSerializers } from 'pino';
import { RotatingFile } from './rotating-file.js';
import type { ServeSettings } from './serve-settings.js';
import { visibleJson, visibleValue } from './visible.js';

export interface Log {
  logger: Logger;
  /** Path of the file with JSON lines; `undefined` when it cannot be written. */
  path: string | undefined;
  /** Why the file cannot be written. */
  problem: string | undefined;
  close(): void;
}

/**
 * Creates a log: readable lines on a terminal, else JSON lines, and JSON lines in a rotating file of the state folder.
 */
export async function createLog(
  settings: Pick<ServeSettings, 'stateDir' | 'logLevel' | 'token'> & { port?: number },
): Promise<Log> {
  const { logLevel: level, token, port = 0 } = settings;
  const clean = (line: string) => visibleJson(scrub(line, token));
  const terminal = process.stderr.isTTY;
  const screen = terminal ? await prettyScreen() : process.stderr;
  const { file, problem } = openFile(settings.stateDir);
  const write = (line: string) => {
    const cleaned = clean(line);
    // Lines for the terminal are made from parsed strings, where escapes are control characters again.
    screen.write(terminal ? visibleLine(cleaned) : cleaned);
    file?.write(cleaned);
  };
  const serializers = { err: stdSerializers.err, req: describeRequest };
  const logger = pino({ level, base: baseOf(port), serializers }, { write });
  return { logger, path: file?.path, problem, close: () => file?.close() };
}

async function prettyScreen() {
  const { build } = await import('pino-pretty');
  return build({
    sync: true,
    singleLine: true,
    destination: 2,
    ignore: 'pid,hostname,instance,reqId',
    translateTime: 'SYS:HH:MM:ss',
  });
}

/** Names the instance as the audit log does, unless its port is any free one. */
function baseOf(port: number) {
  const host = hostname();
  return { pid: process.pid, hostname: host, ...(port === 0 ? {} : { instance: `${host}:${port}` }) };
}

/** A digit of an id, which an address may also write with a percent sign. */
const DIGIT = '(?:[0-9a-f]|%3[0-9]|%6[1-6])';
/** What ids follow: in addresses, in fields of the log, and in paths of the private folder of uploads. */
const ID = new RegExp(
  `((?:sessions?|uploads)/|"(?:session|upload)Id":"|uploads[/\\\\]+[0-9a-f]{8}-\\d+-[0-9a-f]{8}-[0-9a-f]{16}[/\\\\]+)` +
    `(${DIGIT}{8})${DIGIT}{24}`,
  'g',
);

/**
 * Removes secrets from a line: the token, and most of each id of a session or an upload, which is the permission to read or
 * fill it. The first 8 digits remain, to tell them apart.
 */
export function scrub(line: string, token: string): string {
  const text = token === '' ? line : line.replaceAll(token, '[token]');
  return text.replace(ID, '$1$2…');
}

function visibleLine(line: string): string {
  return `${JSON.stringify(visibleValue(JSON.parse(line)))}\n`;
}

/** Returns the parts of a request for the log, without its headers. */
function describeRequest(request: { method?: string; url?: string; ip?: string }): object {
  return { method: request.method, url: request.url, from: request.ip };
}

function openFile(stateDir: string): { file?: RotatingFile; problem: string | undefined } {
  try {
    return { file: new RotatingFile(join(stateDir, 'acqstore.log')), problem: undefined };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
