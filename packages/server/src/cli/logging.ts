/** The log of a server: on the screen, and in a file that is rotated. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { pino, stdSerializers } from 'pino';
import { UNSAFE_LINES, visibleJson, visibleValue } from './visible.js';

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
  const terminal = process.stderr.isTTY;
  const screen = terminal ? await prettyScreen() : process.stderr;
  const { file, problem } = openFile(settings.stateDir);
  const write = (line: string) => {
    const scrubbed = scrub(line, token);
    const cleaned = UNSAFE_LINES.test(scrubbed) ? visibleJson(scrubbed) : scrubbed;
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

/**
 * A text file that is rotated when it is full: `name`, `name.1` … `name.4`; the oldest is dropped. Writes are
 * synchronous, so that the last line before the process ends is on disk; a line takes a few microseconds.
 */
export class RotatingFile {
  readonly path: string;
  private readonly maxBytes: number;
  private readonly files: number;
  private fd: number;
  private bytes = 0;

  /** Creates the folder (0700) and the file (0600). @throws the system's error when that is not possible */
  constructor(path: string, maxBytes = 2_000_000, files = 5) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.files = files;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.fd = this.reopen();
  }

  write(text: string): void {
    const data = Buffer.from(text);
    if (this.bytes > 0 && this.bytes + data.length > this.maxBytes) this.rotate();
    try {
      this.bytes += writeSync(this.fd, data);
    } catch {
      // A full disk must not stop the server; the terminal still shows the line.
    }
  }

  close(): void {
    closeSync(this.fd);
  }

  private reopen(): number {
    this.fd = openSync(this.path, 'a', 0o600);
    this.bytes = fstatSync(this.fd).size;
    return this.fd;
  }

  private rotate(): void {
    const current = statSync(this.path, { throwIfNoEntry: false });
    // Another server of this user may already have rotated the file; then only open the new one.
    const isCurrent = current?.ino === fstatSync(this.fd).ino;
    closeSync(this.fd);
    for (let i = this.files - 1; isCurrent && i >= 1; i--) {
      rename(i === 1 ? this.path : `${this.path}.${i - 1}`, `${this.path}.${i}`);
    }
    this.reopen();
  }
}

/** Renames a file. Windows refuses while another process has it open; then the file grows until the next attempt. */
function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {}
}
