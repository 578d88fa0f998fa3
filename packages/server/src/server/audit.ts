/** A record of who opened what: a line of JSON per open, renewal, end and refusal. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AddressInfo, isIP } from 'node:net';
import { hostname } from 'node:os';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SessionService } from '../sessions/service.js';
import { isForeignSession } from './ownership.js';
import { isWarmUp } from './policy.js';
import type { App } from './types.js';

export interface AuditLine {
  /** ISO 8601, UTC. */
  time: string;
  event: 'open' | 'renew' | 'delete' | 'refusal';
  /** `null` for a sender who is not known. */
  owner: string | null;
  /** As in the response: the real path; as requested when that failed. */
  path?: string;
  /** The first 8 digits. */
  session?: string;
  status: number;
  /** Error code. */
  error?: string;
  method: string;
  /** Pattern of the address, without ids. */
  route: string;
  requestId: string;
  instance: string;
  remote: string;
}

/** Milliseconds until a line that gives access counts as not written. */
const RECORD_TIMEOUT_MS = 5_000;
/** Fails at once for a pipe that nobody reads, instead of waiting for a reader. Windows does not have it. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);

/** A file that only grows. It may be renamed at any time: the next line begins a new one. */
export class Audit {
  /** False when files open although they cannot be recorded. */
  readonly isRequired: boolean;
  readonly #path: string;
  readonly #report: (error: unknown) => void;
  #last: Promise<unknown> = Promise.resolve();
  /** The file ends in the middle of a line. */
  #isTorn = false;

  private constructor(path: string, isRequired: boolean, report: (error: unknown) => void) {
    this.#path = path;
    this.isRequired = isRequired;
    this.#report = report;
  }

  /** @throws AcqError `request_validation_failed` when the file cannot be written */
  static async open(path: string, isRequired: boolean, report: (error: unknown) => void): Promise<Audit> {
    try {
      await (await open(path, FLAGS, 0o600)).close();
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new AcqError('request_validation_failed', `--audit-log ${path}: cannot be written (${code})`);
    }
    return new Audit(path, isRequired, report);
  }

  /** Writes a line. One that cannot be written is reported. */
  write(line: AuditLine): void {
    this.#append(line).catch(this.#report);
  }

  /**
   * Writes a line about access that is only given when it is in the file.
   * @throws AcqError `capacity_exceeded` when it cannot be written, or not in time
   */
  async record(line: AuditLine): Promise<void> {
    try {
      await withTimeout(this.#append(line), RECORD_TIMEOUT_MS);
    } catch (error) {
      this.#report(error);
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
      const message = `The audit log of the server cannot be written (--audit-log ${this.#path}: ${reason}), so nothing is opened. Tell its operator.`;
      throw new AcqError('capacity_exceeded', message, { cause: error });
    }
  }

  /** Resolves when all lines are in the file. */
  async close(): Promise<void> {
    await this.#last;
  }

  #append(line: AuditLine): Promise<void> {
    const text = `${JSON.stringify(line)}\n`;
    const written = this.#last.then(() => this.#writeNow(text));
    this.#last = written.catch(() => {});
    return written;
  }

  async #writeNow(text: string): Promise<void> {
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    const file = await open(this.#path, FLAGS, 0o600);
    let done = 0;
    try {
      while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten;
      this.#isTorn = false;
    } catch (error) {
      this.#isTorn ||= done > 0;
      throw error;
    } finally {
      await file.close();
    }
  }
}

async function withTimeout(work: Promise<void>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not answer')), milliseconds);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const EVENTS: Record<string, AuditLine['event']> = {
  'POST /api/v2/open': 'open',
  'POST /api/v2/pick-and-open': 'open',
  'POST /api/v2/uploads/:uploadId/open': 'open',
  'POST /api/v1/open': 'open',
  'POST /api/v1/pick-and-open': 'open',
  'POST /api/v2/sessions/:sessionId/renew': 'renew',
  'DELETE /api/v2/sessions/:sessionId': 'delete',
};

/** What the answer to a request says. */
interface Answered {
  session?: string;
  path?: string;
  error?: string;
}

interface AuditedApp {
  app: App;
  audit: Audit;
  sessions: Pick<SessionService, 'status'>;
  /** Of the options, in the name of the instance while the server does not listen. */
  port: number;
}

/**
 * Writes a line for each request that the record is about. Where the record is required, what gives access is in it first: an open
 * before its answer, and a renewal before the life of the session begins again.
 */
export function auditRequests({ app, audit, sessions, port }: AuditedApp): void {
  const instance = () => `${hostname()}:${(app.server.address() as AddressInfo | null)?.port ?? port}`;
  const answers = new WeakMap<FastifyRequest, Answered>();
  /** Status of the requests that have a line already. */
  const recorded = new WeakMap<FastifyRequest, number>();
  const record = async (event: AuditLine['event'], request: FastifyRequest, reply: FastifyReply, answer: Answered) => {
    await audit.record(toLine(event, request, reply, answer, instance()));
    recorded.set(request, reply.statusCode);
  };
  app.addHook('preHandler', async (request, reply) => {
    if (!audit.isRequired || routeEvent(request) !== 'renew') return;
    // Throws for a session that does not exist: then there is nothing to renew.
    sessions.status((request.params as { sessionId: string }).sessionId);
    await record('renew', request, reply, {});
  });
  app.addHook('preSerialization', async (request, reply, payload: unknown) => {
    const answer = readAnswer(payload);
    answers.set(request, answer);
    const { session } = answer;
    if (!audit.isRequired || routeEvent(request) !== 'open' || session === undefined) return payload;
    await record('open', request, reply, answer);
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    const answer = answers.get(request) ?? {};
    const event = toEvent(request, reply, answer);
    if (event && recorded.get(request) !== reply.statusCode) {
      audit.write(toLine(event, request, reply, answer, instance()));
    }
  });
}

/** Returns the event of a request that is not refused. The server itself opens its own samples only. */
function routeEvent(request: FastifyRequest): AuditLine['event'] | undefined {
  return isWarmUp(request) ? undefined : EVENTS[`${request.method} ${request.routeOptions.url}`];
}

function toEvent(request: FastifyRequest, reply: FastifyReply, { error }: Answered): AuditLine['event'] | undefined {
  const isRefused =
    reply.statusCode === 401 ||
    error === 'origin_not_allowed' ||
    error === 'host_not_allowed' ||
    isForeignSession(request);
  return isRefused ? 'refusal' : routeEvent(request);
}

function toLine(
  event: AuditLine['event'],
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answered,
  instance: string,
): AuditLine {
  const { sessionId: addressed } = (request.params ?? {}) as { sessionId?: unknown };
  const { path: requested } = (request.body ?? {}) as { path?: unknown };
  const session = answer.session ?? addressed;
  const path = answer.path ?? requested;
  return {
    time: new Date().toISOString(),
    event,
    owner: request.caller?.user?.owner ?? null,
    ...(typeof path === 'string' ? { path } : {}),
    ...(typeof session === 'string' ? { session: session.slice(0, 8) } : {}),
    status: reply.statusCode,
    ...(answer.error === undefined ? {} : { error: answer.error }),
    method: request.method,
    route: request.routeOptions.url ?? '(none)',
    requestId: request.id,
    instance,
    remote: remoteAddress(request),
  };
}

/** Returns the address of the client, which trusted proxies tell. */
function remoteAddress({ ip, socket }: FastifyRequest): string {
  return isIP(ip) > 0 ? ip : (socket.remoteAddress ?? 'unknown');
}

function readAnswer(payload: unknown): Answered {
  if (typeof payload !== 'object' || payload === null) return {};
  const { sessionId, source, error } = payload as { sessionId?: unknown; source?: { path?: unknown }; error?: unknown };
  return {
    ...(typeof sessionId === 'string' ? { session: sessionId } : {}),
    ...(typeof source?.path === 'string' ? { path: source.path } : {}),
    ...(typeof error === 'string' ? { error } : {}),
  };
}
