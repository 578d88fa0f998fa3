import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToken } from '../../packages/server/src/server/auth/tokens.js';
import { Cli, SAMPLE } from '../support/cli.js';
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

const isLinux = process.platform === 'linux';
const isRoot = isLinux && process.getuid?.() === 0;
if (!isRoot) console.warn('NO FULL DISK: only root can mount a small one; its error was not tried on a real disk');

describe.runIf(isLinux)('an audit log that cannot be written', () => {
  const serve = async <T>(args: string[], work: (at: { port: number }) => Promise<T>): Promise<T> => {
    const cli = new Cli();
    try {
      return await work(await cli.serve(args));
    } finally {
      await cli.close();
    }
  };
  const post = async (server: { port: number }, path: string, body: object) => {
    const answer = await ask(server, 'POST', path, { body });
    return [answer.status, answer.body.error, answer.body] as const;
  };
  const body = { path: SAMPLE };

  it('refuses what gives access, names the log, and leaves no session', async () => {
    await serve(['--audit-log', '/dev/full', '--max-sessions', '1'], async (server) => {
      const ways: [string, object][] = [
        ['/api/v2/open', body],
        ['/api/v2/open', body],
        ['/api/v1/open', { ...body, vesselChannel: null }],
      ];
      for (const [path, request] of ways) {
        const [status, , { message }] = await post(server, path, request);
        expect([path, status, message ?? '']).toEqual([
          path,
          503,
          expect.stringContaining('--audit-log /dev/full: ENOSPC'),
        ]);
      }
    });
  });

  it('leaves a sent file to be opened when it can be written again', async () => {
    const log = join(mkdtempSync(join(base, 'sent-')), 'audit');
    await serve(['--audit-log', log], async (server) => {
      const bytes = readFileSync(IN_A);
      const [, , { uploadId }] = await post(server, '/api/v2/uploads', { name: 'scan.tif', size: bytes.length });
      const address = `/api/v2/uploads/${uploadId}`;
      const sent = await fetch(`http://127.0.0.1:${server.port}${address}/files/scan.tif`, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream' },
        body: bytes,
      });
      expect(sent.status).toBe(200);
      rmSync(log);
      symlinkSync('/dev/full', log);
      for (let i = 0; i < 2; i++) {
        expect((await post(server, `${address}/open`, {})).slice(0, 2)).toEqual([503, 'capacity_exceeded']);
      }
      rmSync(log);
      const [status, , { sessionId }] = await post(server, `${address}/open`, {});
      expect(status).toBe(200);
      // With the session that did begin, the files go.
      expect((await ask(server, 'DELETE', `/api/v2/sessions/${sessionId}`)).status).toBe(200);
      expect((await post(server, `${address}/open`, {})).slice(0, 2)).toEqual([404, 'upload_not_found']);
    });
  });

  it('is ignored with --audit-log-optional', async () => {
    await serve(['--audit-log', '/dev/full', '--audit-log-optional'], async (server) => {
      const [status, , { sessionId }] = await post(server, '/api/v2/open', body);
      expect(status).toBe(200);
      expect((await post(server, `/api/v2/sessions/${sessionId}/renew`, {}))[0]).toBe(200);
    });
  });

  it('does not begin the life of a session again, nor wait for a pipe that nobody reads', async () => {
    const log = join(mkdtempSync(join(base, 'swap-')), 'audit');
    await serve(['--audit-log', log, '--session-ttl', '600'], async (server) => {
      const [, , { sessionId }] = await post(server, '/api/v2/open', { ...body, ttlSeconds: 3_600 });
      const renew = () => post(server, `/api/v2/sessions/${sessionId}/renew`, {});
      const left = async () =>
        JSON.parse((await ask(server, 'GET', `/api/v2/sessions/${sessionId}`)).text).ttlSecondsRemaining as number;
      rmSync(log);
      symlinkSync('/dev/full', log);
      const before = await left();
      expect((await renew()).slice(0, 2)).toEqual([503, 'capacity_exceeded']);
      expect(await left()).toBeLessThan(before);
      // In one step: the line about the refusal may be written at any moment, and would make a file again.
      execFileSync('mkfifo', [`${log}.pipe`]);
      renameSync(`${log}.pipe`, log);
      expect((await renew())[2].message).toContain('ENXIO');
      expect((await post(server, '/api/v2/open', body))[2].message).toContain('ENXIO');
      rmSync(log);
      expect((await renew())[0]).toBe(200);
      const renewals = readFileSync(log, 'utf8').match(/"event":"renew".*"status":200/g);
      expect(renewals).toHaveLength(1);
      expect((await post(server, `/api/v2/sessions/${'0'.repeat(32)}/renew`, {}))[1]).toBe('session_not_found');
    });
  });

  it.skipIf(!isRoot)('on a full disk goes on with a new line when there is space again', async () => {
    const disk = mkdtempSync(join(base, 'disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'none', disk], { stdio: 'ignore' });
    } catch {
      console.warn('NO FULL DISK: a small one cannot be mounted here');
      return;
    }
    const log = join(disk, 'audit');
    try {
      await serve(['--audit-log', log], async (server) => {
        let count = 0;
        while ((await post(server, '/api/v2/open', body))[0] === 200) count++;
        expect(count).toBeGreaterThan(2);
        const text = readFileSync(log, 'utf8');
        expect(
          text
            .split('\n')
            .slice(0, count)
            .map((line) => JSON.parse(line).event),
        ).toEqual(Array(count).fill('open'));
        // Part of a line is there.
        expect(text.endsWith('\n')).toBe(false);
        truncateSync(log, text.length - 100);
        execFileSync('mount', ['-o', 'remount,size=1m', disk]);
        expect((await post(server, '/api/v2/open', body))[0]).toBe(200);
        const [last = ''] = readFileSync(log, 'utf8').trim().split('\n').slice(-1);
        expect(JSON.parse(last)).toMatchObject({ event: 'open', status: 200 });
      });
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});
