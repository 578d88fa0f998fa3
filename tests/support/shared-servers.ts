/** Servers that several people share, and requests of their users. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { ServerOptions } from '../../packages/server/src/options.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { writeTiff } from '../writers/tiff.js';
import { AUDIENCE, ISSUER, type Issuer } from './issuer.js';
import { createServer } from './server.js';
import { tempFolder } from './temp.js';

export interface Body {
  ok?: boolean;
  error?: string;
  message?: string;
  sessionId?: string;
  uploadId?: string;
  entries?: { path: string }[];
  paths?: string[];
  examples?: unknown[];
  opening?: string[];
  user?: { name: string; signedInBy: string } | null;
  signIn?: string[];
}
interface Answer {
  status: number;
  body: Body;
  text: string;
}

/** Not `fetch`, which does not let a program choose Host, Origin and the like. */ export function ask(
  server: Pick<RunningServer, 'port'>,
  method: string,
  path: string,
  { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    // A kept connection may be that of an earlier server at the same port.
    const options = { host: '127.0.0.1', port: server.port, path, method, agent: false };
    const sent = request({ ...options, headers: { ...json, ...bearer, ...headers } }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const isJson = (response.headers['content-type'] ?? '').startsWith('application/json');
        resolve({ status: response.statusCode ?? 0, body: isJson && text !== '' ? JSON.parse(text) : {}, text });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

export interface SharedServers {
  /** Removed with the servers after the last test. */
  base: string;
  /** The root of all servers, with `groups/lab-a/scan.tif` and `groups/lab-b/scan.tif`. */
  root: string;
  inA: string;
  inB: string;
  scan: Uint8Array;
  start(options: Partial<ServerOptions>): Promise<RunningServer>;
  writeTokens(name: string, lines: readonly object[], mode?: number): string;
  open(server: RunningServer, token: string, path?: string): Promise<Answer>;
  /** Opens a file that must open, and returns the session. */
  openedBy(server: RunningServer, token: string, path?: string): Promise<string>;
}

/** To be called once, at the top of a test file. */
export function sharedServers(): SharedServers {
  const base = tempFolder();
  const root = join(base, 'data');
  const samples = Uint16Array.from({ length: 12 }, (_, i) => i);
  const scan = writeTiff({ pages: [{ width: 4, height: 3, samples }] });
  const [inA = '', inB = ''] = ['lab-a', 'lab-b'].map((name) => {
    mkdirSync(join(root, 'groups', name), { recursive: true });
    const path = join(root, 'groups', name, 'scan.tif');
    writeFileSync(path, scan);
    return path;
  });
  const servers: RunningServer[] = [];
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });
  const shared: SharedServers = {
    ...{ base, root, inA, inB, scan },
    async start(options) {
      const stateDir = join(base, `state-${servers.length}`);
      const own = { port: 0, decodeWorkers: 1, stateDir, roots: [root], uploadBudgetBytes: 1e6 };
      const server = await createServer({ ...own, ...options });
      servers.push(server);
      return server;
    },
    writeTokens(name, lines, mode = 0o600) {
      const path = join(base, name);
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode });
      chmodSync(path, mode);
      return path;
    },
    open: (server, token, path = inA) => ask(server, 'POST', '/api/v2/open', { token, body: { path } }),
    async openedBy(server, token, path) {
      const { status, body } = await shared.open(server, token, path);
      expect([status, body.message]).toEqual([200, undefined]);
      return body.sessionId!;
    },
  };
  return shared;
}

export function oidcOf({ jwks }: Issuer, more: Partial<ServerOptions> = {}): Partial<ServerOptions> {
  return { oidcIssuer: ISSUER, oidcAudience: AUDIENCE, oidcJwks: jwks, ...more };
}
