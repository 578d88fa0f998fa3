/** Runs the code that the first client needs before it comes: whole requests, from the guard to the last byte. */
import type { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { InjectOptions } from 'fastify';
import type { ServerOptions } from '../options.js';
import type { Connections } from './connections.js';
import type { AppDependencies } from './dependencies.js';
import { OWN_ADDRESS } from './own-request.js';
import type { App } from './types.js';
import type { SchemaChecks } from './validation.js';

/** Until then the start, or a client that waited for it, needs the processor more. */
const AFTER_MS = 3_500;
/** V8 compiles what ran often enough: with a third of them, first opens took a fifth longer. */
const ROUNDS = 30;
/** Pause after each request. */
const PAUSE_MS = 4;
/** A client that asked for something within this time may ask for the next thing. */
const QUIET_MS = 250;

export interface WarmUpParts {
  app: Pick<App, 'inject' | 'log'>;
  /** Emits `request` for each request of a client. */
  server: EventEmitter;
  options: ServerOptions;
  deps: Pick<AppDependencies, 'warmUpFiles' | 'stopping'>;
  checks: SchemaChecks;
  connections: Pick<Connections, 'answering'>;
}

export function warmUpWhenIdle(app: App, parts: Omit<WarmUpParts, 'app' | 'server'>): void {
  app.addHook('onListen', () => {
    void setTimeout(AFTER_MS, undefined, { ref: false }).then(() => warmUp({ ...parts, app, server: app.server }));
  });
}

/** Opens each file, reads its first plane and ends the session, again and again, one step while no client is busy. */
export async function warmUp(parts: WarmUpParts): Promise<void> {
  const clients = new Clients(parts);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const path of parts.deps.warmUpFiles) {
        const answer = await openAndRead(parts, clients, path);
        if (round > 0) continue;
        for (const _ of parts.checks.warmUp([answer, { path }])) await clients.away();
      }
    }
  } catch (error) {
    parts.app.log.debug({ err: error }, 'the warm-up has ended early');
  } finally {
    clients.ignore();
  }
}

async function openAndRead(parts: WarmUpParts, clients: Clients, path: string): Promise<OpenResponse | undefined> {
  await clients.away();
  const opened = await ask(parts, { method: 'POST', url: '/api/v2/open', payload: { path } });
  // Whoever opens a file is told what is wrong.
  if (opened.statusCode !== 200) return undefined;
  const answer = opened.json<OpenResponse>();
  await clients.away();
  await ask(parts, { method: 'GET', url: answer.channels[0]!.dataUrl });
  await clients.away();
  await ask(parts, { method: 'DELETE', url: `/api/v2/sessions/${answer.sessionId}` });
  return answer;
}

function ask({ app, options }: WarmUpParts, request: InjectOptions) {
  const token = options.token === '' ? {} : { authorization: `Bearer ${options.token}` };
  const headers = { host: `127.0.0.1:${options.port}`, ...token };
  return app.inject({ ...request, headers, remoteAddress: OWN_ADDRESS });
}

/** Notices what clients do. */
class Clients {
  readonly #parts: WarmUpParts;
  #askedAt = Number.NEGATIVE_INFINITY;
  readonly #notice = () => {
    this.#askedAt = performance.now();
  };

  constructor(parts: WarmUpParts) {
    this.#parts = parts;
    // The server's own requests are not emitted.
    parts.server.on('request', this.#notice);
  }

  /** Resolves when no client is busy. @throws when the server stops */
  async away(): Promise<void> {
    const { connections, deps } = this.#parts;
    do {
      await setTimeout(PAUSE_MS, undefined, { ref: false });
      deps.stopping.throwIfAborted();
    } while (connections.answering > 0 || performance.now() - this.#askedAt < QUIET_MS);
  }

  ignore(): void {
    this.#parts.server.off('request', this.#notice);
  }
}
