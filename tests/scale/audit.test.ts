import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToken } from '../../src/server/auth/tokens.js';
import { ask, sharedServers } from '../support/shared-servers.js';

const { base, inA: IN_A, start, writeTokens, open, openedBy } = sharedServers();

describe('the audit log', () => {
  const [alice, bob] = [createToken({ name: 'alice' }), createToken({ name: 'bob' })];
  const auditLog = join(base, 'audit.jsonl');
  const lines = () =>
    readFileSync(auditLog, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('has a line for each open, renewal, end and refusal, without tokens and ids', async () => {
    const tokensFile = writeTokens('audit-tokens.jsonl', [alice.line, bob.line]);
    const server = await start({ tokensFile, auditLog, trustProxies: ['127.0.0.1', '10.0.0.0/8'] });
    const sessionId = await openedBy(server, alice.token);
    const path = `/api/v2/sessions/${sessionId}`;
    await ask(server, 'GET', path, { token: alice.token });
    await ask(server, 'POST', `${path}/renew`, { token: alice.token, body: {} });
    await ask(server, 'GET', path, { token: bob.token });
    await open(server, 'wrong-token');
    await open(server, alice.token, '/etc/passwd.tif');
    const headers = { 'x-forwarded-for': '203.0.113.9, 192.0.2.7, 10.1.2.3' };
    await ask(server, 'DELETE', path, { token: alice.token, headers });
    await server.close();
    const [first] = lines();
    expect(first).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      ...{ event: 'open', owner: 'token:alice', path: IN_A, session: sessionId.slice(0, 8), status: 200 },
      ...{ method: 'POST', route: '/api/v2/open' },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      instance: expect.stringMatching(new RegExp(`.:${server.port}$`)),
      remote: '127.0.0.1',
    });
    const short = lines().map(({ event, owner, status, error }) => [event, owner, status, error]);
    expect(short).toEqual([
      ['open', 'token:alice', 200, undefined],
      ['renew', 'token:alice', 200, undefined],
      ['refusal', 'token:bob', 404, 'session_not_found'],
      ['refusal', null, 401, 'unauthorized'],
      ['open', 'token:alice', 403, 'path_not_allowed'],
      ['delete', 'token:alice', 200, undefined],
    ]);
    // The address that the last proxy which is not trusted has, not what a client claims.
    expect(lines().at(-1)!['remote']).toBe('192.0.2.7');
    const text = readFileSync(auditLog, 'utf8');
    for (const secret of [sessionId, alice.token, bob.token, 'wrong-token']) expect(text).not.toContain(secret);
    expect(statSync(auditLog).mode & 0o777).toBe(0o600);
  });

  it('does not believe X-Forwarded-For of others', async () => {
    const log = join(base, 'audit-2.jsonl');
    const tokensFile = writeTokens('audit-2-tokens.jsonl', [alice.line]);
    const server = await start({ tokensFile, auditLog: log, trustProxies: ['10.0.0.0/8'] });
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    await ask(server, 'POST', '/api/v2/open', { token: alice.token, headers, body: { path: IN_A } });
    await server.close();
    expect(JSON.parse(readFileSync(log, 'utf8').trim())).toMatchObject({ remote: '127.0.0.1' });
  });

  it('must be writable, and the networks must be valid', async () => {
    await expect(start({ auditLog: join(base, 'none', 'audit') })).rejects.toThrow(/--audit-log .*ENOENT/);
    await expect(start({ trustProxies: ['10.0.0.0/99'] })).rejects.toThrow(/--trust-proxy 10\.0\.0\.0\/99/);
  });
});
