/** A server that several people share: who gets in, and that nobody reaches what belongs to others. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { exportJWK, exportSPKI, generateKeyPair, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defaultOptions, type ServerOptions } from '../../src/options.js';
import { createToken } from '../../src/server/auth/tokens.js';
import type { RunningServer } from '../../src/server/listen.js';
import { startServer } from '../../src/server/start.js';
import { Cli } from '../support/cli.js';
import { AUDIENCE, ISSUER, Issuer } from '../support/issuer.js';
import { tempFolder } from '../support/temp.js';
import { writeTiff } from '../writers/tiff.js';

const base = tempFolder();
const scan = writeTiff({ pages: [{ width: 4, height: 3, samples: Uint16Array.from({ length: 12 }, (_, i) => i) }] });
const root = join(base, 'data');
for (const name of ['lab-a', 'lab-b']) {
  mkdirSync(join(root, 'groups', name), { recursive: true });
  writeFileSync(join(root, 'groups', name, 'scan.tif'), scan);
}
const IN_A = join(root, 'groups', 'lab-a', 'scan.tif');
const IN_B = join(root, 'groups', 'lab-b', 'scan.tif');

interface Body {
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

/** Not `fetch`, which does not let a program choose Host, Origin and the like. */
function ask(
  server: RunningServer,
  method: string,
  path: string,
  { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path, method, headers: { ...json, ...bearer, ...headers } };
    const sent = request(options, (response) => {
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

let folders = 0;
const servers: RunningServer[] = [];
async function start(options: Partial<ServerOptions>): Promise<RunningServer> {
  const stateDir = join(base, `state-${folders++}`);
  const server = await startServer({
    ...defaultOptions(),
    ...{ port: 0, decodeWorkers: 1, stateDir, roots: [root], uploadBudgetBytes: 1e6, ...options },
  });
  servers.push(server);
  return server;
}
let issuer: Issuer;
beforeAll(async () => {
  issuer = await Issuer.start();
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await issuer.close();
});

function writeTokens(name: string, lines: readonly object[], mode = 0o600): string {
  const path = join(base, name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode });
  chmodSync(path, mode);
  return path;
}

const open = (server: RunningServer, token: string, path = IN_A) =>
  ask(server, 'POST', '/api/v2/open', { token, body: { path } });

async function openedBy(server: RunningServer, token: string, path = IN_A): Promise<string> {
  const { status, body } = await open(server, token, path);
  expect([status, body.message]).toEqual([200, undefined]);
  return body.sessionId!;
}

const oidc = (more: Partial<ServerOptions> = {}) => ({
  ...{ oidcIssuer: ISSUER, oidcAudience: AUDIENCE, oidcJwks: issuer.jwks },
  ...more,
});

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
  });
});

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { examples?: Record<string, { value: unknown }> }> };
}

describe('the package that verifies logins', () => {
  const cli = new Cli();
  afterAll(() => cli.close());
  /** Without `jose`: resolving it fails, as where it is not installed. */
  const withoutJose = () => {
    const hooks = `export async function resolve(specifier, context, next) {
      if (specifier === 'jose') throw new Error('jose was resolved');
      return next(specifier, context);
    }`;
    const toUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
    const register = `import { register } from 'node:module'; register(${JSON.stringify(toUrl(hooks))});`;
    return { NODE_OPTIONS: `--import "${toUrl(register)}"` };
  };

  it('is not even looked for by a server without an issuer, also with a tokens file', async () => {
    const tokensFile = writeTokens('without-jose.jsonl', [createToken({ name: 'alice' }).line]);
    for (const args of [[], ['--tokens-file', tokensFile]]) {
      const server = await cli.serve(args, withoutJose());
      expect((await fetch(`${server.url}/api/v2/health`)).status).toBe(200);
      await server.interrupt();
    }
  });

  it('is named when it is missing', async () => {
    const args = ['--oidc-issuer', ISSUER, '--oidc-audience', AUDIENCE, '--oidc-jwks', issuer.jwks];
    const { code, stderr } = await cli.run(['serve', '--port', '0', ...args], withoutJose());
    expect([code, stderr]).toEqual([2, expect.stringContaining('Run: npm install jose@6')]);
  });
});

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
