/** A record of who opened what: a line of JSON per open, renewal, end and refusal. */
import { appendFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AcqError } from '../errors.js';
import { isForeignSession } from './ownership.js';
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

/** A file that only grows. It may be renamed at any time: the next line begins a new one. */
export class Audit {
  readonly #path: string;
  readonly #report: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, report: (error: unknown) => void) {
    this.#path = path;
    this.#report = report;
  }

  /** @throws AcqError `request_validation_failed` when the file cannot be written */
  static async open(path: string, report: (error: unknown) => void): Promise<Audit> {
    try {
      await appendFile(path, '', { mode: 0o600 });
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      throw new AcqError('request_validation_failed', `--audit-log ${path}: cannot be written (${code})`);
    }
    return new Audit(path, report);
  }

  write(line: AuditLine): void {
    const text = `${JSON.stringify(line)}\n`;
    this.#last = this.#last.then(() => appendFile(this.#path, text, { mode: 0o600 })).catch(this.#report);
  }

  /** Resolves when all lines are in the file. */
  close(): Promise<void> {
    return this.#last;
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

/** Writes a line for each request that the record is about. */
export function auditRequests(app: App, audit: Audit, instance: () => string): void {
  const answers = new WeakMap<FastifyRequest, Answered>();
  app.addHook('preSerialization', async (request, _reply, payload: unknown) => {
    answers.set(request, readAnswer(payload));
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    const answer = answers.get(request) ?? {};
    const event = toEvent(request, reply, answer);
    if (event) audit.write(toLine(event, request, reply, answer, instance()));
  });
}

function toEvent(request: FastifyRequest, reply: FastifyReply, { error }: Answered): AuditLine['event'] | undefined {
  const isRefused =
    reply.statusCode === 401 ||
    error === 'origin_not_allowed' ||
    error === 'host_not_allowed' ||
    isForeignSession(request);
  return isRefused ? 'refusal' : EVENTS[`${request.method} ${request.routeOptions.url}`];
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
