/** Servers whose sessions are followed, and a client of server-sent events over `fetch`. */
import { afterEach, expect } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { ServerOptions } from '../../packages/server/src/options.js';
import type { ConnectionLimits } from '../../packages/server/src/server/connection-limits.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { createServer } from './server.js';

export interface SentEvent {
  event: string;
  data: Record<string, unknown>;
}

export class EventReader {
  readonly response: Response;
  /** Everything that has arrived. */
  text = '';
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #rest = '';

  constructor(response: Response) {
    this.response = response;
    this.#reader = response.body!.getReader();
  }

  static async open(url: string, init: RequestInit = {}): Promise<EventReader> {
    return new EventReader(await fetch(url, init));
  }

  /** Waits for the next event; `undefined` at the end of the answer. */
  async next(): Promise<SentEvent | undefined> {
    for (;;) {
      const block = await this.#block();
      if (block === undefined) return undefined;
      if (block.startsWith(':')) continue;
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      return { event, data: JSON.parse(data) };
    }
  }

  /** Waits for a comment, which nothing but time brings. */
  async comment(): Promise<string> {
    for (;;) {
      const block = await this.#block();
      if (block === undefined) throw new Error('the answer has ended');
      if (block.startsWith(':')) return block;
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  async #block(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf('\n\n');
      if (end >= 0) {
        const block = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 2);
        return block;
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      const part = new TextDecoder().decode(value);
      this.text += part;
      this.#rest += part;
    }
  }
}

export const eventsOf = ({ url }: RunningServer, { sessionId }: OpenResponse) =>
  `${url}/api/v2/sessions/${sessionId}/events`;

/** Opens an acquisition without decoding anything. */
export async function openLater({ url }: RunningServer, path: string, more: object = {}): Promise<OpenResponse> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ path, decode: 'later', ...more });
  const response = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body });
  const answer = await response.json();
  expect([response.status, response.ok ? '' : answer]).toEqual([200, '']);
  return answer as OpenResponse;
}

/** Returns functions that start servers and follow sessions. All of it ends after each test of the file. */
export function liveHooks(stateDir: string) {
  const servers: RunningServer[] = [];
  const readers: EventReader[] = [];
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.close();
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });
  return {
    async start(options: Partial<ServerOptions> = {}, limits: Partial<ConnectionLimits> = {}): Promise<RunningServer> {
      const more = { port: 0, stateDir, decodeWorkers: 1, opsListen: '127.0.0.1:0' };
      const server = await createServer({ ...more, ...options }, { limits });
      servers.push(server);
      return server;
    },
    async follow(server: RunningServer, opened: OpenResponse, init?: RequestInit): Promise<EventReader> {
      const reader = await EventReader.open(eventsOf(server, opened), init);
      readers.push(reader);
      return reader;
    },
  };
}
