/** What whoever can write to the session store can make an instance do: nothing. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createToken } from '../../packages/server/src/server/auth/tokens.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { some } from '../support/long.js';
import { REDIS_PROGRAM, RedisServer } from '../support/redis.js';
import { createServer } from '../support/server.js';
import { ask, sharedServers } from '../support/shared-servers.js';

vi.setConfig({ testTimeout: 60_000 });
const { base, root, inA, inB, writeTokens, openedBy } = sharedServers();

describe.runIf(REDIS_PROGRAM !== undefined)('records in the session store', () => {
  const [alice] = [createToken({ name: 'alice', roots: [join(root, 'groups', 'lab-a')] })];
  const { token } = alice;
  const lines: string[] = [];
  let redis: RedisServer;
  let a: RunningServer;
  let b: RunningServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
    const tokensFile = writeTokens('hostile-records.jsonl', [alice.line]);
    const start = (name: string) => {
      const own = { port: 0, decodeWorkers: 1, stateDir: join(base, name), roots: [root], tokensFile };
      // On a busy computer, the usual time for an answer of the store may pass before the process runs again.
      const options = {
        ...own,
        sessionStore: redis.url,
        sessionStoreTimeoutMs: 30_000,
        maxSessionsPerOwner: 1_000,
      };
      return createServer(options, { logger: pino({}, { write: (line: string) => void lines.push(line) }) });
    };
    [a, b] = [await start('a'), await start('b')];
  });
  afterAll(async () => {
    await Promise.all([a, b].map((server) => server?.close()));
    await redis?.kill();
  });

  const keyOf = (kind: 's' | 'f', id: string) =>
    `{acqstore}:1:${kind}:${createHash('sha256').update(id).digest('hex')}`;
  const read = (id: string) => {
    const [owner = '', ...rest] = redis.command('get', keyOf('s', id)).split(' ');
    return { owner, facts: JSON.parse(rest.join(' ')) as Record<string, unknown> };
  };
  const write = (key: string, text: string) => redis.command('set', key, text, 'KEEPTTL');
  /** Every way to ask for a session, with the answer to one that does not exist. */
  const WAYS: [method: string, rest: string, code: string, body?: object][] = [
    ['GET', '', 'session_not_found'],
    ['GET', '/acquisition', 'session_not_found'],
    ['GET', '/acquisition?metadata=true', 'session_not_found'],
    ['GET', '/channels/0/data', 'session_not_found'],
    ['GET', '/channels/0/window?rows=0:1&columns=0:1', 'session_not_found'],
    ['GET', '/channels/0/overview?height=2&width=2', 'session_not_found'],
    ['GET', '/channels/0/statistics', 'session_not_found'],
    ['GET', '/0.5.ome.zarr/zarr.json', 'session_ended'],
    ['GET', '/0.5.ome.zarr/0/0/c/0/0', 'session_ended'],
    ['POST', '/renew', 'session_not_found', {}],
    ['DELETE', '', 'session_not_found'],
  ];
  const answers = async (id: string) => {
    const codes: [string, unknown][] = [];
    for (const [method, rest, , body] of WAYS) {
      const answer = await ask(b, method, `/api/v2/sessions/${id}${rest}`, { token, ...(body ? { body } : {}) });
      codes.push([`${method} ${rest}`, answer.body.error ?? answer.status]);
    }
    return codes;
  };
  const notFound = WAYS.map(([method, rest, code]) => [`${method} ${rest}`, code]);
  const logged = (id: string) => lines.filter((line) => line.includes(`${id.slice(0, 8)}… `));

  it('are answered by the other instance as they are written', async () => {
    const id = await openedBy(a, token);
    for (const [name, code] of await answers(id)) {
      expect([name, code]).not.toContain('internal_error');
      expect([name, code]).not.toContain('session_not_found');
    }
  });

  it('of an earlier version, without the type of the samples, are read in the type of the file', async () => {
    const id = await openedBy(a, token);
    const native = `/api/v2/sessions/${id}/channels/0/data?type=native`;
    const expected = await ask(a, 'GET', native, { token });
    const { owner, facts } = read(id);
    const { sampleType, ...planes } = facts['planes'] as Record<string, unknown>;
    expect(sampleType).toBe('uint16');
    write(keyOf('s', id), `${owner} ${JSON.stringify({ ...facts, planes })}`);
    expect(await ask(b, 'GET', native, { token })).toEqual(expected);
  });

  it('do not lead to the folder of another user, by any route', async () => {
    const id = await openedBy(a, token, inA);
    const { owner, facts } = read(id);
    write(keyOf('s', id), `${owner} ${JSON.stringify({ ...facts, path: inB })}`);
    expect(await answers(id)).toEqual(notFound);
    expect(logged(id)).toHaveLength(1);
    expect(logged(id)[0]).toContain('may not be opened here');
  });

  it('of any other shape are sessions that do not exist, which the log says once', async () => {
    const good = read(await openedBy(a, token)).facts;
    const planes = good['planes'] as Record<string, unknown>;
    const description = good['description'] as Record<string, unknown>;
    const hostile: [string, string][] = [
      ['empty', ''],
      ['no JSON', '- {'],
      ['null', '- null'],
      ['a list', '- [1]'],
      ['a number', `- ${'9'.repeat(400)}`],
      ['deep', `- ${'['.repeat(100_000)}`],
      ...(
        [
          ['no path', { path: undefined }],
          ['a path that is a number', { path: 1 }],
          ['a path that is a list', { path: [inA] }],
          ['no planes', { planes: null }],
          ['planes without bytes', { planes: { ...planes, planeBytes: 0 } }],
          ['a huge plane', { planes: { rows: 1e9, columns: 1e9, planeBytes: 4e18, channelIndices: [0] } }],
          ['half a channel', { planes: { ...planes, channelIndices: [0.5] } }],
          ['a scene of 1e300', { scene: 1e300 }],
          ['no description', { description: null }],
          ['a description that is empty', { description: {} }],
          ['a description of another shape', { description: { ...description, header: 'x' } }],
          ['channels that are text', { description: { ...description, channels: 'x' } }],
          ['an unknown field', { isAdmin: true }],
          ['a life of 1e300 s', { ttlSeconds: 1e300 }],
          ['nobody who opened it', { openedBy: null }],
        ] as [string, object][]
      ).map(([name, more]): [string, string] => [name, `- ${JSON.stringify({ ...good, ...more })}`]),
      ['a prototype', `- ${JSON.stringify(good).replace('{', '{"__proto__":{"path":"/etc"},')}`],
    ];
    for (const [name, text] of some(hostile, 4)) {
      const id = await openedBy(a, token);
      write(keyOf('s', id), text);
      expect([name, ...(await answers(id))]).toEqual([name, ...notFound]);
      expect([name, logged(id).length]).toEqual([name, 1]);
    }
  });

  it('of a projection of planes that the file does not have are told that it changed', async () => {
    const id = await openedBy(a, token);
    const { owner, facts } = read(id);
    const projection = { along: 'T', method: 'max', size: 4_000_000 };
    write(keyOf('s', id), `${owner} ${JSON.stringify({ ...facts, projection })}`);
    const { status, body } = await ask(b, 'GET', `/api/v2/sessions/${id}/channels/0/data`, { token });
    expect([status, body.error]).toEqual([409, 'source_changed']);
  });

  it('of another type are sessions that do not exist', async () => {
    const id = await openedBy(a, token);
    redis.command('del', keyOf('s', id));
    redis.command('lpush', keyOf('s', id), 'x');
    expect(await answers(id)).toEqual(notFound);
    expect(logged(id)).toHaveLength(1);
  });

  it('with a list of files that no instance wrote are not decoded', async () => {
    const lists = ['', 'x', '{}', '[1]', '[{"path":"/etc/passwd","size":1,"mtimeNs":"x","ino":"1"}]'];
    for (const list of lists) {
      const id = await openedBy(a, token);
      write(keyOf('f', id), list);
      const { body } = await ask(b, 'GET', `/api/v2/sessions/${id}/channels/0/data`, { token });
      expect([list, body.error]).toEqual([list, 'session_not_found']);
      expect([list, logged(id).length]).toEqual([list, 1]);
    }
    const id = await openedBy(a, token);
    redis.command('del', keyOf('f', id));
    redis.command('lpush', keyOf('f', id), 'x');
    const { body } = await ask(b, 'GET', `/api/v2/sessions/${id}/channels/0/data`, { token });
    expect(body.error).toBe('session_not_found');
  });

  it('whose index has another type are not added, and the message says why', async () => {
    redis.command('del', '{acqstore}:1:i');
    redis.command('set', '{acqstore}:1:i', 'x');
    const { status, body } = await ask(a, 'POST', '/api/v2/open', { token, body: { path: inA } });
    expect([status, body.error]).toEqual([503, 'session_store_unavailable']);
    expect(body.message).toContain('another program has given one of its keys another type');
    redis.command('del', '{acqstore}:1:i');
    await openedBy(a, token);
  });
});
