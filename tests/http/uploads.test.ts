import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { Upload } from '../../packages/client/src/contract/uploads.js';
import { defaultOptions } from '../../packages/server/src/options.js';
import { listen } from '../../packages/server/src/server/listen.js';
import { UploadStore } from '../../packages/server/src/uploads/store.js';
import { lineScan as brukerScan, NAME, planeName } from '../support/bruker.js';
import { Cli, SAMPLE } from '../support/cli.js';
import { fakeSessions } from '../support/fake-sessions.js';
import { LONG } from '../support/long.js';
import { lineScan } from '../support/oif.js';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { fakePicker, testDependencies } from '../support/test-app.js';
import { writeBruker } from '../writers/bruker.js';
import { writeOif } from '../writers/oif.js';
import { axis, imageFiles, writeStore } from '../writers/ome-zarr.js';
import { writeTiff } from '../writers/tiff.js';

const base = tempFolder();
const state = join(base, 'state');
const uploads = join(state, 'uploads');
const scan = Buffer.from(
  writeTiff({ pages: [{ width: 4, height: 3, samples: Uint16Array.from({ length: 12 }, (_, i) => i) }] }),
);
let server: RunningServer;
beforeAll(async () => {
  const nothing = join(base, 'nothing');
  mkdirSync(nothing);
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: state, roots: [nothing] });
});
afterAll(() => server.close());

type Answer = OpenResponse & Upload & { error?: string; message?: string; receivedBytes?: number };

async function call(method: string, address: string, body?: object, headers: Record<string, string> = {}, at = server) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${at.url}/api/v2/${address}`, {
    method,
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, (await response.json()) as Answer] as const;
}

async function create(name: string, size: number): Promise<string> {
  const [status, answer] = await call('POST', 'uploads', { name, size });
  expect([status, answer.maxBytes, answer.expiresInSeconds], answer.message).toEqual([200, size, 600]);
  return answer.uploadId;
}

const OCTETS = { 'content-type': 'application/octet-stream' };

async function put(id: string, path: string, bytes: Uint8Array, headers: Record<string, string> = {}) {
  const key = path.split('/').map(encodeURIComponent).join('/');
  const response = await fetch(`${server.url}/api/v2/uploads/${id}/files/${key}`, {
    method: 'PUT',
    headers: { ...OCTETS, ...headers },
    body: new Uint8Array(bytes),
  });
  return [response.status, (await response.json()) as Answer] as const;
}

const openUpload = (id: string, body: object = {}) => call('POST', `uploads/${id}/open`, body);

/** Sends all files below a folder, with their names from there on, and opens `name`. */
async function send(folder: string, name: string): Promise<Answer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const id = await create(
    name,
    files.reduce((sum, path) => sum + statSync(path).size, 0),
  );
  for (const path of files) {
    const [status, { message }] = await put(id, relative(folder, path), readFileSync(path));
    expect(status, message).toBe(200);
  }
  const [status, answer] = await openUpload(id);
  expect(status, answer.message).toBe(200);
  return answer;
}

const floats = async ({ channels }: OpenResponse) =>
  new Float32Array(await (await fetch(server.url + channels[0]?.dataUrl)).arrayBuffer());

/** Every file in the folder of uploads, without the names that differ between runs. */
const stored = () =>
  existsSync(uploads)
    ? readdirSync(uploads, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];

describe('an upload', () => {
  it('opens like the file itself, under its name alone, and goes with its session', async () => {
    const id = await create('scan 1.tif', scan.length);
    expect((await put(id, 'scan 1.tif', scan))[1]).toEqual({ ok: true, uploadId: id, receivedBytes: scan.length });
    const [status, answer] = await openUpload(id, { decode: 'later', ttlSeconds: 60 });
    expect([status, answer.source.path, answer.source.name]).toEqual([200, 'scan 1.tif', 'scan 1.tif']);
    expect(JSON.stringify(answer)).not.toContain(uploads);
    expect(await floats(answer)).toEqual(Float32Array.from({ length: 12 }, (_, i) => i));
    const [again] = await call('GET', `sessions/${answer.sessionId}/acquisition`);
    expect(again).toBe(200);
    // Another part of it, before the first session ends.
    const [, second] = await openUpload(id, { channelIndices: [0] });
    await call('DELETE', `sessions/${answer.sessionId}`);
    expect((await floats(second)).length).toBe(12);
    expect(stored()).toEqual(['scan 1.tif']);
    await call('DELETE', `sessions/${second.sessionId}`);
    await expect.poll(stored).toEqual([]);
    expect((await openUpload(id))[1].error).toBe('upload_not_found');
  });

  it('can be an OIF, a Bruker folder or an OME-Zarr folder', async () => {
    const oif = mkdtempSync(join(base, 'oif-'));
    writeOif(oif, lineScan({ name: 'cell.oif' }));
    const cell = await send(oif, 'cell.oif');
    expect([cell.source.format, cell.header.dims]).toEqual(['oif', ['C', 'Y', 'X']]);

    const bruker = mkdtempSync(join(base, 'bruker-'));
    mkdirSync(join(bruker, NAME));
    writeBruker(join(bruker, NAME), brukerScan());
    const series = await send(bruker, NAME);
    expect([series.source.format, series.source.path]).toEqual(['xml', NAME]);

    const zarr = mkdtempSync(join(base, 'zarr-'));
    const axes = [axis('y', 'micrometer'), axis('x', 'micrometer')];
    const shape = [4, 6];
    const value = ([y = 0, x = 0]: readonly number[]) => y * 10 + x;
    const files = await imageFiles({ version: 3, type: 'uint16', axes, shape, chunks: [2, 3], value });
    writeStore(join(zarr, 'cell.ome.zarr'), files);
    const store = await send(zarr, 'cell.ome.zarr');
    expect([store.source.format, store.plane.shape]).toEqual(['ome.zarr', shape]);
    for (const { sessionId } of [cell, series, store]) await call('DELETE', `sessions/${sessionId}`);
  });

  it('says which companion is missing without naming the private folder', async () => {
    const folder = mkdtempSync(join(base, 'bruker-'));
    writeBruker(folder, brukerScan());
    const xml = readFileSync(join(folder, `${NAME}.xml`));
    const id = await create(`${NAME}.xml`, xml.length);
    await put(id, `${NAME}.xml`, xml);
    const [status, { error, message }] = await openUpload(id);
    expect([status, error]).toEqual([422, 'companion_missing']);
    expect(message).toContain(planeName(1, 1));
    expect(message).toContain('the upload');
    expect(message).not.toContain(base);
    await call('DELETE', `uploads/${id}`);
  });

  it('stays when it stops in the middle, and can be sent again', async () => {
    const id = await create('scan.tif', scan.length);
    const head =
      `PUT /api/v2/uploads/${id}/files/scan.tif HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n` +
      `Content-Type: application/octet-stream\r\nContent-Length: ${scan.length}\r\n\r\n`;
    const socket = connect(server.port, '127.0.0.1');
    socket.write(head);
    socket.write(scan.subarray(0, 40));
    await expect.poll(stored).toEqual(['1']);
    expect((await openUpload(id))[1]).toMatchObject({ error: 'upload_incomplete', message: /still arriving/ });
    socket.destroy();
    await expect.poll(stored).toEqual([]);
    const [status, { error, message }] = await openUpload(id);
    expect([status, error]).toEqual([409, 'upload_incomplete']);
    expect(message).toContain(`0 of ${scan.length} bytes`);
    await put(id, 'scan.tif', scan);
    const [, { sessionId }] = await openUpload(id);
    await call('DELETE', `sessions/${sessionId}`);
  });

  it('is refused by its announced length before its bytes are read, and while they arrive', async () => {
    const id = await create('scan.tif', 10);
    const [status, { error }] = await put(id, 'scan.tif', scan);
    expect([status, error]).toEqual([413, 'upload_too_large']);
    // Without a length.
    const chunked = await fetch(`${server.url}/api/v2/uploads/${id}/files/scan.tif`, {
      method: 'PUT',
      headers: OCTETS,
      body: new Blob([scan]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect([chunked.status, ((await chunked.json()) as Answer).error]).toEqual([413, 'upload_too_large']);
    expect(stored()).toEqual([]);
    expect((await call('POST', 'uploads', { name: 'a.tif', size: 8e9 }))[1].error).toBe('upload_too_large');
    expect((await call('DELETE', `uploads/${id}`))[1]).toEqual({ ok: true, uploadId: id, deleted: true });
    expect((await put(id, 'scan.tif', scan))[1].error).toBe('upload_not_found');
    expect((await call('DELETE', `uploads/${id}`))[1].error).toBe('upload_not_found');
  });

  it('can be an empty file, which then says so', async () => {
    const id = await create('scan.tif', 0);
    expect((await put(id, 'scan.tif', new Uint8Array(0)))[0]).toBe(200);
    expect((await openUpload(id))[1]).toMatchObject({ error: 'unsupported_format', message: /is empty/ });
    await call('DELETE', `uploads/${id}`);
  });
});

describe('names of uploads', () => {
  it.each(['..', '.', '', 'a/b.tif', '/etc/passwd', 'C:\\scan.tif', 'C:scan.tif', 'a\0.tif', `${'a'.repeat(252)}.tif`])(
    '%j cannot be the name to open',
    async (name) => {
      const [status, { error }] = await call('POST', 'uploads', { name, size: 1 });
      expect([status, error]).toEqual([422, 'request_validation_failed']);
    },
  );

  it('cannot lead out of the upload, however they are written', async () => {
    const id = await create('scan.tif', 1000);
    // Folders of deleted uploads go after the answer.
    const [own] = readdirSync(uploads);
    await expect.poll(() => readdirSync(join(uploads, own!))).toEqual([id]);
    const before = readdirSync(base, { recursive: true }).length;
    const raw = (path: string) =>
      new Promise<number>((resolve, reject) => {
        const address = {
          port: server.port,
          host: '127.0.0.1',
          method: 'PUT',
          path: `/api/v2/uploads/${id}/files/${path}`,
        };
        const sent = request({ ...address, headers: OCTETS }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', reject);
        sent.end('x');
      });
    const hostile = [
      ...[
        '../../x',
        '..%2f..%2fx',
        '%2e%2e/%2e%2e/x',
        '..%5cx',
        '/etc/x',
        '%2fetc%2fx',
        'a/../../../x',
        'C:%5cx',
        'C:/x',
      ],
      ...['a%00b', '%00', 'a//b', 'a/', `${'a'.repeat(256)}`, '%2e', '..'],
    ];
    for (const path of hostile) expect([path, await raw(path)]).toEqual([path, 422]);
    expect(await raw('')).toBe(422);
    expect(readdirSync(base, { recursive: true }).length).toBe(before);
    expect(await raw('%C3%A9%201.tif')).toBe(200);
    expect(stored()).toEqual(['é 1.tif']);
    await call('DELETE', `uploads/${id}`);
  });

  it('in an address that cannot be decoded are refused for that, whatever the body', async () => {
    const id = await create('scan.tif', 10);
    for (const headers of [OCTETS, { 'content-type': 'application/json' }, {}]) {
      const address = `/api/v2/uploads/${id}/files/%ff`;
      const response = await fetch(server.url + address, { method: 'PUT', headers, body: new Uint8Array(10) });
      const { error, message } = (await response.json()) as Answer;
      expect([response.status, error]).toEqual([422, 'request_validation_failed']);
      expect(message).toContain(`The address "${address}" is not valid`);
    }
    await call('DELETE', `uploads/${id}`);
  });
});

describe('who may upload', () => {
  const refusals = async (headers: Record<string, string>, at = server) => {
    const id = '0'.repeat(32);
    const answers = [
      await call('POST', 'uploads', { name: 'a.tif', size: 1 }, headers, at),
      await call('PUT', `uploads/${id}/files/a.tif`, undefined, { ...OCTETS, ...headers }, at),
      await call('POST', `uploads/${id}/open`, {}, headers, at),
      await call('DELETE', `uploads/${id}`, undefined, headers, at),
    ];
    return answers.map(([status, { error }]) => `${status} ${error}`);
  };

  it('is not a page without an origin or of another site, even where pages without one may open by path', async () => {
    const permissive = await createServer({ port: 0, decodeWorkers: 1, stateDir: state, allowFilePages: true });
    const forbidden = Array(4).fill('403 origin_not_allowed');
    try {
      expect(await refusals({ origin: 'null' }, permissive)).toEqual(forbidden);
    } finally {
      await permissive.close();
    }
    for (const headers of [
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect(await refusals(headers)).toEqual(forbidden);
    }
  });

  it('is not a form: bodies have a type that needs a preflight', async () => {
    const id = await create('scan.tif', scan.length);
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x']) {
      expect((await put(id, 'scan.tif', scan, { 'content-type': type }))[1].error).toBe('unsupported_media_type');
    }
    expect((await put(id, 'scan.tif', scan, { 'content-encoding': 'gzip' }))[1].error).toBe('unsupported_media_type');
    const preflight = (origin: string) =>
      fetch(`${server.url}/api/v2/uploads/${id}/files/a.tif`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'PUT' },
      });
    expect((await preflight('http://localhost:3000')).headers.get('access-control-allow-methods')).toBe('PUT');
    expect((await preflight('null')).status).toBe(403);
    await call('DELETE', `uploads/${id}`);
  });

  it('is told by the capabilities; on a server that others can reach only with a budget', async () => {
    const options = { port: 0, decodeWorkers: 1, stateDir: state, token: 'secret', roots: [base], host: '0.0.0.0' };
    const headers = { authorization: 'Bearer secret' };
    const ways = async (more: object) => {
      const remote = await createServer({ ...options, ...more });
      try {
        const [, capabilities] = await call('GET', 'capabilities', undefined, headers, remote);
        const [status] = await call('POST', 'uploads', { name: 'a.tif', size: 1 }, headers, remote);
        return [(capabilities as unknown as { opening: string[] }).opening.includes('upload'), status];
      } finally {
        await remote.close();
      }
    };
    expect(await ways({})).toEqual([false, 413]);
    expect(await ways({ uploadBudgetBytes: 1e6 })).toEqual([true, 200]);
    expect(await ways({ host: '127.0.0.1', uploadBudgetBytes: 0 })).toEqual([false, 413]);
    expect(await ways({ host: '127.0.0.1' })).toEqual([true, 200]);
  });
});

describe('time', () => {
  it('has no limit for a file whose bytes keep arriving, but for one that stalls', async () => {
    const own = new UploadStore({ folder: join(base, 'slow'), budgetBytes: 1e6, ttlSeconds: 600 });
    const parts = { ...testDependencies(), sessions: fakeSessions(), picker: fakePicker(), uploads: own };
    const slow = await listen({ ...defaultOptions(), port: 0 }, parts, { requestMs: 1_500, checkMs: 50 });
    try {
      const { id } = await own.create({ name: 'a.tif', size: 100 }, { party: 'programs' });
      const put = async (pauses: number[]) => {
        const socket = connect(slow.port, '127.0.0.1');
        socket.write(
          `PUT /api/v2/uploads/${id}/files/a.tif HTTP/1.1\r\nHost: 127.0.0.1:${slow.port}\r\nConnection: close\r\n` +
            'Content-Type: application/octet-stream\r\nContent-Length: 5\r\n\r\n',
        );
        let text = '';
        socket.on('data', (piece) => {
          text += String(piece);
        });
        const closed = new Promise((resolve) => socket.once('close', resolve));
        for (const pause of pauses) {
          await new Promise((resolve) => setTimeout(resolve, pause));
          socket.write('x');
        }
        await closed;
        return text.slice(9, 12);
      };
      expect(await Promise.all([put([500, 500, 500, 500, 500]), put([100])])).toEqual(['200', '408']);
    } finally {
      await slow.close();
    }
  });
});

describe('a server that was killed', () => {
  it.runIf(LONG)('leaves files that the next one removes', async () => {
    const cli = new Cli();
    try {
      const first = await cli.serve();
      const at = { url: first.url } as RunningServer;
      const [, { uploadId }] = await call('POST', 'uploads', { name: 'scan.tif', size: scan.length }, {}, at);
      const body = new Uint8Array(scan);
      await fetch(`${first.url}/api/v2/uploads/${uploadId}/files/scan.tif`, { method: 'PUT', headers: OCTETS, body });
      const folder = join(cli.stateDir, 'uploads');
      const [left] = readdirSync(folder);
      first.child.kill('SIGKILL');
      await first.ended;
      expect(readdirSync(folder)).toEqual([left]);
      const second = await cli.serve();
      await expect.poll(() => readdirSync(folder)).toEqual([]);
      await openOk(second.url, { path: SAMPLE });
    } finally {
      await cli.close();
    }
  });
});

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
if (!isRoot) console.warn('NO FULL DISK: only root can mount a small one; its error was not tried on a real disk');

it.skipIf(!isRoot)('a disk that is full answers upload_too_large and keeps nothing of the file', async () => {
  const disk = mkdtempSync(join(base, 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk], { stdio: 'ignore' });
  } catch {
    console.warn('NO FULL DISK: a small one cannot be mounted here');
    return;
  }
  const readDisk = async () => ({ free: 1e12, total: 1e12 });
  const small = new UploadStore({ folder: join(disk, 'uploads'), budgetBytes: 1e9, ttlSeconds: 600, readDisk });
  try {
    const { id } = await small.create({ name: 'a.tif', size: 4e6 }, { party: 'programs' });
    async function* body() {
      for (let i = 0; i < 40; i++) yield new Uint8Array(1e5);
    }
    const receiving = small.receive(id, 'a.tif', { body: body(), length: undefined });
    await expect(receiving).rejects.toMatchObject({
      code: 'upload_too_large',
      message: /disk of the server is too full/,
    });
    expect(readdirSync(disk, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([]);
  } finally {
    await small.close();
    execFileSync('umount', [disk]);
  }
});
