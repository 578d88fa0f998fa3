/** A server that several people share: who gets in. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, exportSPKI, generateKeyPair, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ServerOptions } from '../../packages/server/src/options.js';
import { createToken } from '../../packages/server/src/server/auth/tokens.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { Cli } from '../support/cli.js';
import { AUDIENCE, ISSUER, Issuer } from '../support/issuer.js';
import { LONG } from '../support/long.js';
import { ask, oidcOf, sharedServers } from '../support/shared-servers.js';
import { withoutPackage } from '../support/without-package.js';

const { base, inA: IN_A, start, writeTokens, open } = sharedServers();
let issuer: Issuer;
beforeAll(async () => {
  issuer = await Issuer.start();
});
afterAll(() => issuer.close());
const oidc = (more: Partial<ServerOptions> = {}) => oidcOf(issuer, more);

describe('tokens of a file', () => {
  const alice = createToken({ name: 'alice' });
  const old = createToken({ name: 'old', expires: '2026-01-01' });
  let server: RunningServer;
  let path: string;
  beforeAll(async () => {
    path = writeTokens('tokens.jsonl', [alice.line, old.line]);
    writeFileSync(path, `# People of the lab\n\n${readFileSync(path, 'utf8')}`);
    server = await start({ tokensFile: path });
  });

  it('are required on this computer, too', async () => {
    for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`]) {
      const { status, body } = await ask(server, 'POST', '/api/v2/open', { headers: { host }, body: { path: IN_A } });
      expect([status, body.error]).toEqual([401, 'unauthorized']);
    }
    expect((await ask(server, 'GET', '/api/v2/health')).status).toBe(200);
  });

  it('let their users in, and nobody else', async () => {
    expect((await open(server, alice.token)).status).toBe(200);
    const wrong = await open(server, `${alice.token}x`);
    expect([wrong.status, wrong.body.message]).toEqual([401, expect.stringContaining('not known')]);
    const expired = await open(server, old.token);
    expect([expired.status, expired.body.message]).toEqual([401, expect.stringContaining('has expired')]);
    const hash = createHash('sha256').update(alice.token).digest('hex');
    expect((await open(server, hash)).status).toBe(401);
    expect(readFileSync(path, 'utf8')).not.toContain(alice.token);
  });

  it('say who is signed in, also before', async () => {
    const before = await ask(server, 'GET', '/api/v2/user');
    expect([before.status, before.body]).toMatchObject([200, { signIn: ['token'], user: null, signOutUrl: null }]);
    const after = await ask(server, 'GET', '/api/v2/user', { token: alice.token });
    expect(after.body.user).toEqual({ name: 'alice', signedInBy: 'token' });
    expect((await ask(server, 'GET', '/api/v2/user', { token: 'wrong' })).status).toBe(401);
  });

  it('are read again when the file has changed', async () => {
    const bob = createToken({ name: 'bob' });
    const own = writeTokens('changing.jsonl', [alice.line]);
    const changing = await start({ tokensFile: own });
    expect((await open(changing, bob.token)).status).toBe(401);
    writeTokens('changing.jsonl', [bob.line]);
    await expect.poll(async () => (await open(changing, bob.token)).status, { timeout: 5_000 }).toBe(200);
    expect((await open(changing, alice.token)).status).toBe(401);
    // A file that is being edited does not lock everybody out.
    writeFileSync(own, '{"name":');
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect((await open(changing, bob.token)).status).toBe(200);
  });

  it('are refused in a file that others can read or that is wrong', async () => {
    const open644 = writeTokens('open.jsonl', [alice.line], 0o644);
    await expect(start({ tokensFile: open644 })).rejects.toThrow(
      /others can read or change it \(mode 644\).*chmod 600/,
    );
    const bad = writeTokens('bad.jsonl', [alice.line, { name: 'x y', sha256: '0'.repeat(64) }]);
    await expect(start({ tokensFile: bad })).rejects.toThrow(/bad\.jsonl: line 2: "name" must have/);
    const relative = writeTokens('relative.jsonl', [{ ...alice.line, roots: ['data'] }]);
    await expect(start({ tokensFile: relative })).rejects.toThrow(/line 1: "roots" must be absolute paths/);
    await expect(start({ tokensFile: join(base, 'none') })).rejects.toThrow(/cannot be read \(ENOENT\)/);
  });
});

describe('tokens of an issuer', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await start(oidc({ allowHosts: ['imaging.example'] }));
  });
  const proxied = { host: 'imaging.example', 'x-forwarded-for': '192.0.2.7' };

  it('are required behind a proxy', async () => {
    const answer = await ask(server, 'POST', '/api/v2/open', { headers: proxied, body: { path: IN_A } });
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized']);
    const claimed = { ...proxied, 'x-forwarded-user': 'alice', 'x-forwarded-email': 'alice@lab.example' };
    expect((await ask(server, 'POST', '/api/v2/open', { headers: claimed, body: { path: IN_A } })).status).toBe(401);
    const token = await issuer.sign();
    const ok = await ask(server, 'POST', '/api/v2/open', { headers: proxied, token, body: { path: IN_A } });
    expect(ok.status).toBe(200);
  });

  it.each(['ES256', 'RS256', 'EdDSA'] as const)('are accepted with %s', async (alg) => {
    const token = await issuer.sign(
      { name: 'Alice A.' },
      { key: issuer.keys[alg].privateKey, header: { alg, kid: alg } },
    );
    const { status, body } = await ask(server, 'GET', '/api/v2/user', { token });
    expect([status, body.user]).toEqual([200, { name: 'Alice A.', signedInBy: 'login' }]);
  });

  const now = Math.floor(Date.now() / 1000);
  const BAD: Record<string, () => Promise<string> | string> = {
    'an expired one': () => issuer.sign({ exp: now - 60 }),
    'one that is not valid yet': () => issuer.sign({ nbf: now + 600 }),
    'another audience': () => issuer.sign({ aud: 'other' }),
    'another issuer': () => issuer.sign({ iss: 'https://login.example/realms/other' }),
    'another key': async () => issuer.sign({}, { key: (await generateKeyPair('ES256')).privateKey }),
    'a kid that does not exist': () => issuer.sign({}, { header: { alg: 'ES256', kid: 'other' } }),
    'no exp': () => issuer.sign({}, { without: ['exp'] }),
    'no sub': () => issuer.sign({}, { without: ['sub'] }),
    'no aud': () => issuer.sign({}, { without: ['aud'] }),
    'an empty sub': () => issuer.sign({ sub: '' }),
    'alg none': () =>
      new UnsecuredJWT({}).setIssuer(ISSUER).setAudience(AUDIENCE).setSubject('alice').setExpirationTime('5m').encode(),
    'HS256 with the public key in PEM': async () => {
      const key = new TextEncoder().encode(await exportSPKI(issuer.keys.RS256.publicKey));
      return issuer.sign({}, { key, header: { alg: 'HS256', kid: 'RS256' } });
    },
    'HS256 with the modulus of the key': async () => {
      const { n = '' } = await exportJWK(issuer.keys.RS256.publicKey);
      return issuer.sign({}, { key: Buffer.from(n, 'base64url'), header: { alg: 'HS256', kid: 'RS256' } });
    },
    'ES384 with a key of the issuer': () =>
      issuer.sign({}, { key: issuer.keys.ES384.privateKey, header: { alg: 'ES384', kid: 'ES384' } }),
    'a changed payload': async () => {
      const [header, , signature] = (await issuer.sign()).split('.');
      const [, payload] = (await issuer.sign({ sub: 'mallory' })).split('.');
      return [header, payload, signature].join('.');
    },
    'a token without its signature': async () => `${(await issuer.sign()).split('.').slice(0, 2).join('.')}.`,
  };
  it.each(Object.entries(BAD))('are refused: %s', async (_name, make) => {
    const { status, body } = await open(server, await make());
    expect([status, body.error]).toEqual([401, 'unauthorized']);
    expect(body.message).toMatch(/Log in again/);
  });

  it('may be 30 s late, because clocks differ', async () => {
    const token = await issuer.sign({ exp: Math.floor(Date.now() / 1000) - 5 });
    expect((await ask(server, 'GET', '/api/v2/user', { token })).status).toBe(200);
  });

  it('do not make pages of other sites trusted: the proxy adds them to requests of any page', async () => {
    const token = await issuer.sign();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const { status, body } = await ask(server, 'POST', '/api/v2/open', { token, headers, body: { path: IN_A } });
      expect([status, body.error]).toEqual([403, 'origin_not_allowed']);
    }
    const own = { host: 'imaging.example', origin: 'https://imaging.example' };
    expect((await ask(server, 'POST', '/api/v2/open', { token, headers: own, body: { path: IN_A } })).status).toBe(200);
  });

  it('ask for the keys once, and go on with known keys when the address does not answer', async () => {
    const other = await Issuer.start();
    const away = await start(oidc({ oidcJwks: other.jwks }));
    try {
      for (let i = 0; i < 5; i++) {
        expect((await ask(away, 'GET', '/api/v2/user', { token: await other.sign() })).status).toBe(200);
      }
      expect(other.fetches).toBe(1);
      // Unknown keys do not make the server ask again and again.
      const unknown = await other.sign({}, { header: { alg: 'ES256', kid: 'new' } });
      for (let i = 0; i < 5; i++) expect((await open(away, unknown)).status).toBe(401);
      expect(other.fetches).toBe(1);
      other.isUp = false;
      // The keys are kept for ten minutes; then the address would have to answer.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
      expect((await ask(away, 'GET', '/api/v2/user', { token: await other.sign() })).status).toBe(200);
      expect((await open(away, unknown)).status).toBe(401);
      expect(other.fetches).toBe(2);
    } finally {
      vi.useRealTimers();
      await other.close();
    }
  });

  it('are refused when the keys were never there, without waiting again', async () => {
    const nobody = await start(oidc({ oidcJwks: 'http://127.0.0.1:9/keys' }));
    const { status, body } = await open(nobody, await issuer.sign());
    expect([status, body.message]).toEqual([401, expect.stringContaining('keys of the login service')]);
  });

  it('need an audience and keys from a safe address', async () => {
    await expect(start({ oidcIssuer: ISSUER })).rejects.toThrow(/--oidc-audience and --oidc-jwks/);
    const plain = oidc({ oidcJwks: 'http://login.example/keys' });
    await expect(start(plain)).rejects.toThrow(/must be an https address/);
    await expect(start({ userRoots: ['/data/{groups}'] })).rejects.toThrow(/--user-root has no effect without/);
    await expect(start(oidc({ userRoots: ['groups/{groups}'] }))).rejects.toThrow(/--user-root groups.*absolute path/);
  });
});

describe('the package that verifies logins', () => {
  const cli = new Cli();
  afterAll(() => cli.close());

  it.runIf(LONG)('is not even looked for by a server without an issuer, also with a tokens file', async () => {
    const tokensFile = writeTokens('without-jose.jsonl', [createToken({ name: 'alice' }).line]);
    for (const args of [[], ['--tokens-file', tokensFile]]) {
      const server = await cli.serve(args, withoutPackage('jose'));
      expect((await fetch(`${server.url}/api/v2/health`)).status).toBe(200);
      await server.interrupt();
    }
  });

  it('is named when it is missing', async () => {
    const args = ['--oidc-issuer', ISSUER, '--oidc-audience', AUDIENCE, '--oidc-jwks', issuer.jwks];
    const { code, stderr } = await cli.run(['serve', '--port', '0', ...args], withoutPackage('jose'));
    expect([code, stderr]).toEqual([2, expect.stringContaining('Run: npm install jose@6')]);
  });
});
