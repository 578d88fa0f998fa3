import { appendFileSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { LogLine } from './protocol.js';

/** Lines that the page shows. */
const MAX_LINES = 500;
/** Enough for the last 500 lines of a file; longer lines are cut. */
const TAIL_BYTES = 256 * 1024;
const MAX_LINE_LENGTH = 2_000;

/** A line of the log of the image server: JSON of pino. */
interface LogRecord {
  level?: unknown;
  time?: unknown;
  msg?: unknown;
  [name: string]: unknown;
}

/**
 * The last lines of the log, for the page. The image server writes its JSON lines to its log file itself; what it cannot
 * write (its last words in a crash, and the lines of this program) is appended here.
 */
export class ServerLog {
  readonly path: string;
  private readonly lines: LogLine[] = [];
  private readonly listeners = new Set<(lines: LogLine[]) => void>();
  private count = 0;

  constructor(path: string) {
    this.path = path;
    for (const text of readTail(path)) this.push(text);
  }

  /** The last lines, oldest first. */
  get last(): readonly LogLine[] {
    return this.lines;
  }

  /** Calls `listener` with each new line. Returns a function that ends this. */
  onLines(listener: (lines: LogLine[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Adds a line that the server has printed. Returns its record when it is JSON. */
  addPrinted(text: string): LogRecord | undefined {
    const record = parseRecord(text);
    if (!record) this.write(toRecord('error', text));
    this.push(text, record);
    return record;
  }

  /** Adds a line of this program. */
  add(level: LogLine['level'], message: string): void {
    const record = toRecord(level, message);
    this.write(record);
    this.push(JSON.stringify(record), record);
  }

  private push(text: string, record = parseRecord(text)): void {
    this.count += 1;
    const line = { number: this.count, ...toLine(text, record) };
    this.lines.push(line);
    if (this.lines.length > MAX_LINES) this.lines.shift();
    for (const listener of this.listeners) listener([line]);
  }

  private write(record: LogRecord): void {
    try {
      appendFileSync(this.path, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    } catch {
      // A full disk must not stop the application; the page shows the line.
    }
  }
}

const LEVELS = { debug: 20, info: 30, warn: 40, error: 50 } as const;

function toRecord(level: LogLine['level'], msg: string): LogRecord {
  return { level: LEVELS[level], time: Date.now(), pid: process.pid, app: 'desktop', msg };
}

function parseRecord(text: string): LogRecord | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as LogRecord;
  } catch {
    return undefined;
  }
}

/** Returns a line for people. */
function toLine(text: string, record: LogRecord | undefined): Omit<LogLine, 'number'> {
  if (!record) return { time: 0, level: 'error', text: cut(text) };
  const { level, time } = record;
  return {
    time: typeof time === 'number' ? time : 0,
    level: toLevel(typeof level === 'number' ? level : LEVELS.info),
    text: cut(describe(record)),
  };
}

function toLevel(level: number): LogLine['level'] {
  if (level < LEVELS.info) return 'debug';
  if (level < LEVELS.warn) return 'info';
  return level < LEVELS.error ? 'warn' : 'error';
}

function describe(record: LogRecord): string {
  const { msg, method, url, status, milliseconds } = record;
  if (msg === 'answered') return `${method} ${url} ${status} (${milliseconds} ms)`;
  const { path, code, signal, message } = {
    message: (record['err'] as { message?: unknown } | undefined)?.message,
    ...record,
  } as LogRecord;
  const details = [path, url, signal, message, code].filter((part) => typeof part === 'string' && part !== msg);
  return details.length === 0 ? String(msg) : `${msg}: ${details.join(', ')}`;
}

function cut(text: string): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
}

/** Returns the last lines of a file; empty when it does not exist. */
function readTail(path: string): string[] {
  const text = readEnd(path, TAIL_BYTES);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .slice(-MAX_LINES);
}

/** Returns the last bytes of a text file from the start of a line; empty when it cannot be read. */
export function readEnd(path: string, maxBytes: number): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const from = Math.max(0, size - maxBytes);
      const bytes = Buffer.alloc(size - from);
      const count = readSync(file, bytes, 0, bytes.length, from);
      const text = bytes.toString('utf8', 0, count);
      return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
