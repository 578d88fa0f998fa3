/** Runs the code that the first client needs before it comes: whole requests, from the guard to the last byte. */
import { setTimeout } from 'node:timers/promises';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { ServerOptions } from '../options.js';
import type { Connections } from './connections.js';
import type { AppDependencies } from './dependencies.js';
import { OwnConnection } from './own-connection.js';
import type { App } from './types.js';
import type { SchemaChecks } from './validation.js';

/** So few that the worker, which they take, is free again within half a second: an open meanwhile gets one that is cold. */
const EARLY_ROUNDS = 3;
/** By then another worker has warmed up, too. */
const LATER_MS = 3_500;
/** V8 compiles what ran often enough: with half of them, the first fifty opens took a tenth longer; with twice as many, as long. */
const LATER_ROUNDS = 60;
/** Rest before each file of the later rounds: a client that comes meanwhile rarely waits for one. */
const LATER_REST_MS = 20;
/** Pause before each file. */
const PAUSE_MS = 4;
/** A client that asked for something, or waited for the start, within this time may ask for the next thing. */
const QUIET_MS = 250;

export interface WarmUpParts {
  app: Pick<App, 'server' | 'log'>;
  options: ServerOptions;
  deps: Pick<AppDependencies, 'warmUpFiles' | 'stopping' | 'sessions'>;
  checks: SchemaChecks;
  connections: Pick<Connections, 'answering' | 'askedAt'>;
}

export function warmUpWhenIdle(app: App, parts: Omit<WarmUpParts, 'app'>): void {
  app.addHook('onListen', () => void warmUpTwice({ ...parts, app }));
}

async function warmUpTwice(parts: WarmUpParts): Promise<void> {
  await warmUp(parts, EARLY_ROUNDS);
  await setTimeout(LATER_MS, undefined, { ref: false });
  await warmUp(parts, LATER_ROUNDS, LATER_REST_MS);
}

/** Opens each file, reads its first plane and ends the session, again and again, one file while no client is busy. */
export async function warmUp(parts: WarmUpParts, rounds: number, restMs = 0): Promise<void> {
  const startedAt = performance.now();
  try {
    for (let round = 0; round < rounds; round++) {
      for (const path of parts.deps.warmUpFiles) {
        await setTimeout(restMs, undefined, { ref: false });
        const answer = await openAndRead(parts, startedAt, path);
        if (round > 0) continue;
        for (const _ of parts.checks.warmUp([answer, { path }])) await clientsAway(parts, startedAt);
      }
    }
  } catch (error) {
    parts.app.log.debug({ err: error }, 'the warm-up has ended early');
  }
}

async function openAndRead(parts: WarmUpParts, startedAt: number, path: string): Promise<OpenResponse | undefined> {
  const { token } = parts.options;
  const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
  await clientsAway(parts, startedAt);
  const own = await OwnConnection.to(parts.app.server);
  try {
    const opened = await own.ask('POST', '/api/v2/open', headers, { path });
    // Whoever opens a file is told what is wrong.
    if (opened.status !== 200) return undefined;
    const answer = JSON.parse(opened.text) as OpenResponse;
    // Without a pause: a client that takes its time must not keep this session, and its plane, in memory.
    await own.ask('GET', answer.channels[0]!.dataUrl, headers);
    await own.ask('DELETE', `/api/v2/sessions/${answer.sessionId}`, headers);
    return answer;
  } finally {
    own.close();
  }
}

/** Resolves when no client is busy, nor was a moment ago. @throws when the server stops */
async function clientsAway({ connections, deps }: WarmUpParts, startedAt: number): Promise<void> {
  do {
    await setTimeout(PAUSE_MS, undefined, { ref: false });
    deps.stopping.throwIfAborted();
  } while (connections.answering > 0 || performance.now() - Math.max(startedAt, connections.askedAt) < QUIET_MS);
}
