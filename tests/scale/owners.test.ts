/** A server that several people share: nobody reaches what belongs to others. */
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerOptions } from '../../packages/server/src/options.js';
import { createToken } from '../../packages/server/src/server/auth/tokens.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { Issuer } from '../support/issuer.js';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.js';
import { ask, oidcOf, sharedServers } from '../support/shared-servers.js';

const { base, root, inA: IN_A, inB: IN_B, scan, start, writeTokens, open, openedBy } = sharedServers();
let issuer: Issuer;
beforeAll(async () => {
  issuer = await Issuer.start();
});
afterAll(() => issuer.close());
const oidc = (more: Partial<ServerOptions> = {}) => oidcOf(issuer, more);

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { examples?: Record<string, { value: unknown }> }> };
}

describe('sessions and uploads of others', () => {
  const [alice, bob] = [createToken({ name: 'alice' }), createToken({ name: 'bob' })];
  let server: RunningServer;
  let ids: Record<string, string>;
  beforeAll(async () => {
    server = await start({ tokensFile: writeTokens('owners.jsonl', [alice.line, bob.line]) });
    const sessionId = await openedBy(server, alice.token);
    const body = { name: 'scan.tif', size: scan.length };
    const { uploadId } = (await ask(server, 'POST', '/api/v2/uploads', { token: alice.token, body })).body;
    ids = { sessionId, uploadId: uploadId!, channelIndex: '0', key: 'scan.tif' };
  });

  async function operations(): Promise<[id: string, method: string, path: string, body: unknown][]> {
    const { paths } = JSON.parse((await ask(server, 'GET', '/openapi.json')).text) as {
      paths: Record<string, Record<string, Operation>>;
    };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId, requestBody }]) => {
        if (!/\{(sessionId|uploadId)\}/.test(path)) return [];
        const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `no value for ${name}`);
        const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
        const address = path.includes('.ome.zarr') ? filled.replace('scan.tif', 'zarr.json') : filled;
        return [[operationId, method.toUpperCase(), address, example?.value] as const];
      }),
    ) as never;
  }

  it('do not exist, in any operation of the contract', async () => {
    const all = await operations();
    expect(all.length).toBeGreaterThanOrEqual(20);
    for (const [id, method, path, body] of all) {
      const isEmpty = method === 'POST' && body === undefined;
      const { status, body: answer } = await ask(server, method, path, {
        token: bob.token,
        ...(body === undefined && !isEmpty ? {} : { body: body ?? {} }),
      });
      const expected = path.includes('/uploads/')
        ? [404, 'upload_not_found']
        : path.includes('.ome.zarr')
          ? [409, 'session_ended']
          : [404, 'session_not_found'];
      if (method === 'HEAD') expect([id, status]).toEqual([id, expected[0]]);
      else expect([id, status, answer.error]).toEqual([id, ...expected]);
    }
    // Alice still has both.
    expect((await ask(server, 'GET', `/api/v2/sessions/${ids['sessionId']}`, { token: alice.token })).status).toBe(200);
    const upload = `/api/v2/uploads/${ids['uploadId']}`;
    expect((await ask(server, 'DELETE', upload, { token: alice.token })).status).toBe(200);
  });

  it('do not exist in API v1', async () => {
    const body = { path: IN_A, vesselChannel: null };
    const opened = await ask(server, 'POST', '/api/v1/open', { token: alice.token, body });
    expect(opened.status).toBe(200);
    for (const rest of ['channel/calcium', 'reference/channel/0']) {
      const path = `/api/v1/session/${opened.body.sessionId}/${rest}`;
      const answer = await ask(server, 'GET', path, { token: bob.token });
      expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('session')]);
    }
    const path = `/api/v1/session/${opened.body.sessionId}/channel/calcium`;
    expect((await ask(server, 'GET', path, { token: alice.token })).status).toBe(200);
  });

  it('are the same user with another token of the same name', async () => {
    const second = createToken({ name: 'alice' });
    const path = writeTokens('rotated.jsonl', [alice.line, second.line]);
    const rotated = await start({ tokensFile: path });
    const sessionId = await openedBy(rotated, alice.token);
    expect((await ask(rotated, 'GET', `/api/v2/sessions/${sessionId}`, { token: second.token })).status).toBe(200);
  });

  it('are apart from those of everybody who has --token', async () => {
    const both = await start({ token: 'shared', tokensFile: writeTokens('both.jsonl', [alice.line]) });
    const sessionId = await openedBy(both, 'shared');
    const status = async (token: string) =>
      (await ask(both, 'GET', `/api/v2/sessions/${sessionId}`, { token })).body.error ?? 'found';
    expect([await status('shared'), await status(alice.token)]).toEqual(['found', 'session_not_found']);
  });

  it('offer no dialog on the screen of the server', async () => {
    const { body } = await ask(server, 'GET', '/api/v2/capabilities', { token: alice.token });
    expect(body.opening).toEqual(['path', 'folders', 'locate', 'upload']);
    const pick = await ask(server, 'POST', '/api/v2/pick-and-open', { token: alice.token, body: {} });
    expect([pick.status, pick.body.error]).toEqual([501, 'picker_unavailable']);
  });
});

describe('folders of users', () => {
  const a = createToken({ name: 'a', roots: [join(root, 'groups', 'lab-a')] });
  const out = createToken({ name: 'out', roots: [base] });
  const none = createToken({ name: 'none', roots: [] });
  const linked = createToken({ name: 'linked', roots: [join(base, 'link')] });
  const all = createToken({ name: 'all' });
  let server: RunningServer;
  beforeAll(async () => {
    writeFileSync(join(base, 'outside.tif'), scan);
    symlinkSync(join(root, 'groups', 'lab-a'), join(base, 'link'));
    symlinkSync(IN_B, join(root, 'groups', 'lab-a', 'into-b.tif'));
    const tokensFile = writeTokens(
      'folders.jsonl',
      [a, out, none, linked, all].map(({ line }) => line),
    );
    server = await start(oidc({ tokensFile, userRoots: [join(root, 'groups', '{groups}')] }));
  });
  const outcome = async (token: string, path: string) => {
    const { status, body } = await open(server, token, path);
    return status === 200 ? 'open' : body.error;
  };

  it('confine opens', async () => {
    expect(await outcome(a.token, IN_A)).toBe('open');
    expect(await outcome(a.token, IN_B)).toBe('path_not_allowed');
    expect(await outcome(a.token, join(root, 'groups', 'lab-a', 'into-b.tif'))).toBe('path_not_allowed');
    expect(await outcome(a.token, `${root}/groups/lab-a/../lab-b/scan.tif`)).toBe('path_not_allowed');
    expect(await outcome(all.token, IN_B)).toBe('open');
    expect(await outcome(linked.token, IN_A)).toBe('open');
    expect(await outcome(linked.token, IN_B)).toBe('path_not_allowed');
    expect(await outcome(none.token, IN_A)).toBe('path_not_allowed');
  });

  it('do not reach outside of --root, and do not tell what exists elsewhere', async () => {
    expect(await outcome(out.token, IN_A)).toBe('open');
    expect(await outcome(out.token, join(base, 'outside.tif'))).toBe('path_not_allowed');
    expect(await outcome(a.token, join(root, 'groups', 'lab-b', 'missing.tif'))).toBe('path_not_allowed');
  });

  it('confine API v1', async () => {
    const v1 = (token: string, path: string) =>
      ask(server, 'POST', '/api/v1/open', { token, body: { path, vesselChannel: null } });
    expect((await v1(a.token, IN_A)).status).toBe(200);
    const refused = await v1(a.token, IN_B);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('outside')]);
  });

  it('confine lists of folders, searches and samples', async () => {
    const list = (token: string, path?: string) =>
      ask(server, 'GET', `/api/v2/folders${path ? `?path=${encodeURIComponent(path)}` : ''}`, { token });
    const own = join(root, 'groups', 'lab-a');
    expect((await list(a.token)).body.entries?.map(({ path }) => path)).toEqual([own]);
    expect((await list(none.token)).body.entries).toEqual([]);
    const inside = await list(a.token, own);
    expect(inside.body.entries?.map(({ path }) => path)).toEqual([IN_A]);
    expect(inside.body).toMatchObject({ parent: null });
    for (const path of [root, join(root, 'groups'), join(root, 'groups', 'lab-b')]) {
      expect((await list(a.token, path)).body.error).toBe('path_not_allowed');
    }
    const { size, mtimeMs } = statSync(IN_B);
    const body = { name: 'scan.tif', size, modified: Math.floor(mtimeMs) };
    // Bob opened a file there before: that does not open the folder to others.
    await openedBy(server, all.token, IN_B);
    const locate = async (token: string) =>
      (await ask(server, 'POST', '/api/v2/locate', { token, body })).body.paths ?? [];
    expect(await locate(all.token)).toContain(IN_B);
    expect(await locate(a.token)).not.toContain(IN_B);
    expect(await locate(none.token)).toEqual([]);
    expect((await ask(server, 'GET', '/api/v2/examples', { token: a.token })).body.examples).toEqual([]);
  });

  it('come from the groups of a login', async () => {
    expect(await outcome(await issuer.sign({ groups: ['lab-a', 'chess'] }), IN_A)).toBe('open');
    expect(await outcome(await issuer.sign({ groups: ['lab-a'] }), IN_B)).toBe('path_not_allowed');
    expect(await outcome(await issuer.sign({ groups: 'lab-b' }), IN_B)).toBe('open');
    const hostile = [undefined, [], ['..'], ['.'], ['../lab-b'], ['lab-b/'], ['/lab-b'], [''], [{}], 7, ['lab-b\0']];
    for (const groups of hostile) {
      const claims = groups === undefined ? {} : { groups };
      expect([groups, await outcome(await issuer.sign(claims), IN_B)]).toEqual([groups, 'path_not_allowed']);
    }
  });

  it('do not hinder uploads', async () => {
    const token = a.token;
    const made = await ask(server, 'POST', '/api/v2/uploads', { token, body: { name: 'up.tif', size: scan.length } });
    const { uploadId } = made.body;
    const sent = await fetch(`${server.url}/api/v2/uploads/${uploadId}/files/up.tif`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(scan),
    });
    expect(sent.status).toBe(200);
    const opened = await ask(server, 'POST', `/api/v2/uploads/${uploadId}/open`, { token, body: {} });
    expect(opened.status).toBe(200);
    const status = await ask(server, 'GET', `/api/v2/sessions/${opened.body.sessionId}`, { token: all.token });
    expect(status.body.error).toBe('session_not_found');
  });
});

describe('limits of each user', () => {
  const [alice, bob] = [createToken({ name: 'alice' }), createToken({ name: 'bob' })];
  const limited = (name: string, options: Partial<ServerOptions>) =>
    start({ tokensFile: writeTokens(name, [alice.line, bob.line]), ...options });

  it('count the sessions of the user alone', async () => {
    const server = await limited('limit-a.jsonl', { maxSessionsPerOwner: 2 });
    const first = await openedBy(server, alice.token);
    await openedBy(server, alice.token);
    const refused = await open(server, alice.token);
    expect([refused.status, refused.body.error]).toEqual([503, 'capacity_exceeded']);
    expect(refused.body.message).toContain('--max-sessions-per-owner');
    await openedBy(server, bob.token);
    await ask(server, 'DELETE', `/api/v2/sessions/${first}`, { token: alice.token });
    await openedBy(server, alice.token);
  });

  it('count opens at the same time', async () => {
    const server = await limited('limit-b.jsonl', { opensPerOwner: 1 });
    // On a busy machine one open may be over before the next one arrives.
    await expect
      .poll(async () => {
        const answers = await Promise.all(Array.from({ length: 6 }, () => open(server, alice.token)));
        const outcomes = answers.map(({ status, body }) => body.message?.match(/--opens-per-owner/)?.[0] ?? status);
        return [...new Set(outcomes)].sort();
      })
      .toEqual(['--opens-per-owner', 200].sort());
    await openedBy(server, bob.token);
    await openedBy(server, alice.token);
  });
});

describe.runIf(REDIS_PROGRAM !== undefined)('users of two instances with one session store', () => {
  const [alice, bob] = [createToken({ name: 'alice' }), createToken({ name: 'bob' })];
  const instances: RunningServer[] = [];
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
    const tokensFile = writeTokens('instances.jsonl', [alice.line, bob.line]);
    const options = { tokensFile, sessionStore: redis.url, maxSessionsPerOwner: 2 };
    instances.push(await start(options), await start(options));
  });
  afterAll(async () => {
    await Promise.all(instances.map((server) => server.close()));
    await redis.kill();
  });

  it('are the same users at both, with one count of sessions, and the store does not have their names', async () => {
    const [a, b] = instances as [RunningServer, RunningServer];
    const sessionId = await openedBy(a, alice.token);
    const status = async (server: RunningServer, token: string) =>
      (await ask(server, 'GET', `/api/v2/sessions/${sessionId}`, { token })).body.error ?? 'found';
    expect(await status(b, alice.token)).toBe('found');
    expect([await status(a, bob.token), await status(b, bob.token)]).toEqual(Array(2).fill('session_not_found'));
    const path = `/api/v2/sessions/${sessionId}/channels/0/data`;
    expect((await ask(b, 'GET', path, { token: bob.token })).status).toBe(404);
    expect((await ask(b, 'GET', path, { token: alice.token })).status).toBe(200);
    await openedBy(b, alice.token);
    const refused = await open(a, alice.token);
    expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('--max-sessions-per-owner')]);
    await openedBy(a, bob.token);
    expect((await ask(b, 'DELETE', `/api/v2/sessions/${sessionId}`, { token: bob.token })).status).toBe(404);
    expect((await ask(b, 'DELETE', `/api/v2/sessions/${sessionId}`, { token: alice.token })).status).toBe(200);
    expect(await status(a, alice.token)).toBe('session_not_found');
    expect(redis.command('KEYS', '*')).not.toMatch(/alice|bob/);
  });
});
