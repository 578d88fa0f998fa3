/** How many connections a server accepts, and how long it waits for them. */
import { readFileSync } from 'node:fs';
import { defaultOptions, type ServerOptions } from '../options.js';

export interface ConnectionLimits {
  /** Max open connections; further ones are answered with `capacity_exceeded` and closed. */
  maxConnections: number;
  /** Max requests of one connection that are answered at the same time; further ones wait unread. */
  maxAnswers: number;
  /** Milliseconds for the headers and for a whole request to arrive. */
  headersMs: number;
  requestMs: number;
  /** Milliseconds between checks for late requests. */
  checkMs: number;
  /** Milliseconds for which a client may take no byte of its answer. */
  maxStallMs: number;
  /** The same when the server stops, when memory is short, and after the session of the answer has ended. */
  stallMs: number;
  /** Milliseconds that any answer may take; one may take longer when its client reads this many bytes per second. */
  answerMs: number;
  minBytesPerSecond: number;
  /** Milliseconds before the rate of a client is judged. */
  settleMs: number;
  /** Milliseconds between two comments to those who follow a session. */
  aliveMs: number;
  /** Milliseconds between looks at what clients take. */
  lookMs: number;
  /** When the server stops: milliseconds for all downloads. */
  drainMs: number;
}

/** Enough for a lab behind a proxy; each connection may cost some hundred kilobytes. */
const MAX_CONNECTIONS = 1024;

/** A slow network sends in bursts, some seconds apart. */
const STALL_MS = 10_000;

/** Proxies end what is silent for longer, often after a minute; clients may count on 15 s. */
const ALIVE_MS = 10_000;

/** A plane of 2 GiB may take 2.3 hours. */
const MIN_BYTES_PER_SECOND = 256 * 2 ** 10;

type Times = Pick<ServerOptions, 'stallTimeoutSeconds' | 'sessionTtlSeconds'>;

export function defaultConnectionLimits(times: Times = defaultOptions()): ConnectionLimits {
  const maxStallMs = times.stallTimeoutSeconds * 1000;
  const stallMs = Math.min(STALL_MS, maxStallMs);
  return {
    maxConnections: connectionsFor(descriptorLimit()),
    maxAnswers: 16,
    headersMs: 15_000,
    requestMs: 60_000,
    checkMs: 5_000,
    maxStallMs,
    stallMs,
    answerMs: times.sessionTtlSeconds * 1000,
    minBytesPerSecond: MIN_BYTES_PER_SECOND,
    settleMs: 2 * maxStallMs,
    aliveMs: ALIVE_MS,
    lookMs: Math.max(10, Math.min(1_000, stallMs / 4)),
    drainMs: 30_000,
  };
}

/** Returns how many connections to accept: half of the descriptors; files, workers and dialogs need the others. */
export function connectionsFor(descriptors: number): number {
  return Math.max(1, Math.min(MAX_CONNECTIONS, Math.floor(descriptors / 2)));
}

/** Returns how many files and sockets this process may open (`ulimit -n`); `Infinity` without a limit (Windows). */
export function descriptorLimit(): number {
  return fromProc() ?? fromReport() ?? Number.POSITIVE_INFINITY;
}

/** Reads the limit on Linux. */
export function fromProc(path = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+|unlimited)/m.exec(readFileSync(path, 'utf8')) ?? [];
    return toLimit(soft);
  } catch {
    return undefined;
  }
}

/** Reads the limit on other POSIX systems, from the diagnostic report. */
export function fromReport(): number | undefined {
  try {
    const report = process.report?.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
    return toLimit(report.userLimits?.open_files?.soft);
  } catch {
    return undefined;
  }
}

function toLimit(text: string | number | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = Number(text);
  return Number.isInteger(limit) && limit > 0 ? limit : Number.POSITIVE_INFINITY;
}
