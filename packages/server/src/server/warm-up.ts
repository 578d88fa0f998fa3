/** Runs the code that the first client needs before it comes: whole requests, from the guard to the last byte. */
import type { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { InjectOptions } from 'fastify';
import type { ServerOptions } from '../options.js';
import type { Connections } from './connections.js';
import type { AppDependencies } from './dependencies.js';
import { OWN_ADDRESS } from './guard.js';
import type { App } from './types.js';
import type { SchemaChecks } from './validation.js';

/** So few that the worker, which they take, is free again within half a second: an open meanwhile gets one that is cold. */
const EARLY_ROUNDS = 3;
/** By then another worker has warmed up, too. */
const LATER_MS = 3_500;
/** V8 compiles what ran often enough: with a third of them, first opens took a fifth longer. */
const LATER_ROUNDS = 27;
/** Pause before each file. */
const PAUSE_MS = 4;
/** A client that asked for something, or waited for the start, within this time may ask for the next thing. */
const QUIET_MS = 250;

export interface WarmUpParts {
  app: Pick<App, 'inject' | 'log'>;
  /** Emits `request` for each request of a client. */
  server: EventEmitter;
  options: ServerOptions;
  deps: Pick<AppDependencies, 'warmUpFiles' | 'stopping' | 'sessions'>;
  checks: SchemaChecks;
  connections: Pick<Connections, 'answering'>;
}

export function warmUpWhenIdle(app: App, parts: Omit<WarmUpParts, 'app' | 'server'>): void {
  const note = () => parts.deps.sessions.noteClient();
  app.addHook('onListen', () => {
    // The server's own requests are not emitted.
    app.server.on('request', (_, response: EventEmitter) => {
      note();
      response.once('close', note);
    });
    void warmUpTwice({ ...parts, app, server: app.server });
  });
}

async function warmUpTwice(parts: WarmUpParts): Promise<void> {
  await warmUp(parts, EARLY_ROUNDS);
  await setTimeout(LATER_MS, undefined, { ref: false });
  await warmUp(parts, LATER_ROUNDS);
}

/** Opens each file, reads its first plane and ends the session, again and again, one file while no client is busy. */
export async function warmUp(parts: WarmUpParts, rounds: number): Promise<void> {
  const clients = new Clients(parts);
  try {
    for (let round = 0; round < rounds; round++) {
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
  // Without a pause: a client that takes its time must not keep this session, and its plane, in memory.
  await ask(parts, { method: 'GET', url: answer.channels[0]!.dataUrl });
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
  #askedAt = performance.now();
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
