/** The log of a server. */
import { hostname } from 'node:os';
import { pino, stdSerializers } from 'pino';
import { openLines } from './log-lines.js';

export interface Log {
  logger: pino.Logger;
  /** Path of the file with JSON lines; `undefined` when it cannot be written. */
  path: string | undefined;
  /** Why the file cannot be written. */
  problem: string | undefined;
  close(): void;
}

/**
 * Creates a log: readable lines on a terminal, else JSON lines, and JSON lines in a rotating file of the state folder.
 */
export async function createLog(settings: {
  stateDir: string;
  logLevel: string;
  token: string;
  port?: number;
}): Promise<Log> {
  const { logLevel: level, token, port = 0 } = settings;
  const { write, ...file } = await openLines(settings.stateDir, token);
  const serializers = { err: stdSerializers.err, req: describeRequest };
  return { logger: pino({ level, base: baseOf(port), serializers }, { write }), ...file };
}

/** Names the instance as the audit log does, unless its port is any free one. */
function baseOf(port: number) {
  const host = hostname();
  return { pid: process.pid, hostname: host, ...(port === 0 ? {} : { instance: `${host}:${port}` }) };
}

/** Returns the parts of a request for the log, without its headers. */
function describeRequest(request: { method?: string; url?: string; ip?: string }): object {
  return { method: request.method, url: request.url, from: request.ip };
}
