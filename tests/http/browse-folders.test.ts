import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Folder } from '../../packages/client/src/contract/files.js';
import { lineScan, NAME } from '../support/bruker.js';
import { LONG } from '../support/long.js';
import { postOpen } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { writeBruker } from '../writers/bruker.js';
import { writeTiff } from '../writers/tiff.js';

const base = tempFolder();
const day = join(base, 'day 1');
const scan = Buffer.from(writeTiff({ pages: [{ width: 4, height: 3, samples: new Uint16Array(12) }] }));
let server: RunningServer;
let confined: RunningServer;

type Answer = Folder & { error?: string; message?: string; paths?: string[] };

async function ask(url: string, address: string, init: RequestInit = {}): Promise<[number, Answer]> {
  const response = await fetch(`${url}/api/v2/${address}`, init);
  return [response.status, (await response.json()) as Answer];
}

const list = (url: string, path: string, headers: Record<string, string> = {}) =>
  ask(url, `folders?path=${encodeURIComponent(path)}`, { headers });

const names = ({ entries }: Answer) => entries.map(({ name }) => name);

function locate(url: string, file: object, headers: Record<string, string> = {}) {
  const json = { 'content-type': 'application/json', ...headers };
  return ask(url, 'locate', { method: 'POST', headers: json, body: JSON.stringify(file) });
}

const known = (path: string) => {
  const { size, mtimeMs } = statSync(path);
  return { name: basename(path), size, modified: Math.floor(mtimeMs) };
};

beforeAll(async () => {
  mkdirSync(day);
  for (const name of ['scan 10.tif', 'scan 2.tif', 'Scan 1.tif', 'notes.txt', '.hidden.tif']) {
    writeFileSync(join(day, name), scan);
  }
  mkdirSync(join(day, 'cells'));
  mkdirSync(join(day, 'stack.ome.zarr'));
  mkdirSync(join(day, '.cache'));
  mkdirSync(join(day, 'TSeries'));
  writeBruker(join(day, 'TSeries'), lineScan());
  writeFileSync(join(day, 'TSeries', `${NAME}_Cycle00001_VoltageRecording_001.xml`), '<VRecSessionEntry/>');
  writeFileSync(join(base, 'outside.tif'), scan);
  symlinkSync(join(base, 'outside.tif'), join(day, 'link out.tif'));
  symlinkSync(base, join(day, 'link up'));
  symlinkSync(join(day, 'cells'), join(day, 'link in'));
  symlinkSync(join(day, 'nothing'), join(day, 'broken.tif'));
  const options = { port: 0, decodeWorkers: 1, stateDir: join(base, 'state') };
  server = await createServer(options);
  confined = await createServer({ ...options, roots: [day] });
});
afterAll(() => Promise.all([server.close(), confined.close()]));

describe('a list of a folder', () => {
  it('has folders and files that can be opened, in natural order, without hidden ones', async () => {
    const [status, answer] = await list(server.url, day);
    expect([status, answer.path, answer.parent, answer.truncated]).toEqual([200, day, base, false]);
    expect(names(answer)).toEqual([
      ...['cells', 'link in', 'link out.tif', 'link up', 'Scan 1.tif', 'scan 2.tif', 'scan 10.tif', 'stack.ome.zarr'],
      'TSeries',
    ]);
    const [cells, , , , first, , , store, bruker] = answer.entries;
    const { size, modified } = known(join(day, 'Scan 1.tif'));
    expect(first).toEqual({
      name: 'Scan 1.tif',
      path: join(day, 'Scan 1.tif'),
      kind: 'file',
      size,
      modified,
      openable: true,
    });
    expect(cells).toMatchObject({ kind: 'folder', size: null, openable: false });
    expect([store?.openable, bruker?.openable]).toEqual([true, true]);
  });

  it('leaves out files that only accompany an acquisition', async () => {
    const [, answer] = await list(server.url, join(day, 'TSeries'));
    expect(names(answer).filter((name) => name.endsWith('.xml'))).toEqual([`${NAME}.xml`]);
  });

  it('starts at the home folder and the drives, or at the roots', async () => {
    const [, start] = await ask(server.url, 'folders');
    expect([start.path, start.parent]).toEqual([null, null]);
    expect(start.entries.map(({ path }) => path)).toEqual(expect.arrayContaining([homedir(), '/']));
    const [, roots] = await ask(confined.url, 'folders');
    expect(roots.entries.map(({ path, kind }) => [path, kind])).toEqual([[day, 'folder']]);
  });

  it('takes ~/ for the home folder, and follows links of the path', async () => {
    const [, home] = await list(server.url, '~/');
    expect(home.path).toBe(homedir());
    const [, linked] = await list(server.url, join(day, 'link in'));
    expect(linked.path).toBe(join(day, 'cells'));
  });

  it('stays inside the roots: links out of them are not listed, and nothing is above them', async () => {
    const [, answer] = await list(confined.url, day);
    expect(answer.parent).toBeNull();
    expect(names(answer).filter((name) => name.startsWith('link'))).toEqual(['link in']);
    for (const path of [base, join(day, '..'), join(day, 'link up'), join(base, 'missing'), '/', `${day}x`]) {
      const [status, { error }] = await list(confined.url, path);
      expect([path, status, error]).toEqual([path, 403, 'path_not_allowed']);
    }
  });

  it('shows callers who are confined only what they wrote for ~/', async () => {
    const post = async (version: string, path: string) => {
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify({ path }) };
      const response = await fetch(`${confined.url}/api/${version}/open`, request);
      return [response.status, (await response.json()) as Answer] as const;
    };
    const path = '~/nothing/scan.tif';
    for (const [status, { error, message }] of [
      await list(confined.url, '~/nothing'),
      await post('v2', path),
      await post('v1', path),
      await post('v1', 'nothing/scan.tif'),
    ]) {
      expect([status, error]).toEqual([403, 'path_not_allowed']);
      expect(message).not.toContain(homedir());
      expect(message).not.toContain(process.cwd());
    }
    expect((await post('v2', path))[1].message).toBe(
      'scan.tif: ~/nothing/scan.tif is outside the folders that this server may open (--root). ~/ is the home folder of the ' +
        'account that runs the server. Use the file dialog for it.',
    );
    // Others learn where the server looked.
    expect((await list(server.url, '~/nothing'))[1].message).toContain(homedir());
  });

  it.runIf(process.platform === 'linux')(
    'counts entries whose names are not UTF-8, which nobody can name',
    async () => {
      const folder = join(base, 'names');
      mkdirSync(folder);
      for (const name of ['a.tif', '\u{fffd}.tif']) writeFileSync(join(folder, name), scan);
      const latin1 = (name: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
      for (const name of ['caf\u{e9}.tif', '\u{fc}ber.tif', '.h\u{e9}.tif', '\u{e9}.txt'])
        writeFileSync(latin1(name), scan);
      mkdirSync(latin1('\u{e9}t\u{e9}'));
      const [status, answer] = await list(server.url, folder);
      expect([status, answer.notUtf8, names(answer).sort()]).toEqual([200, 3, ['a.tif', '\u{fffd}.tif']]);
      for (const { path } of answer.entries) expect((await postOpen(server.url, { path }))[0]).toBe(200);
      expect((await list(server.url, day))[1].notUtf8).toBeUndefined();
    },
  );

  it.skipIf(!LONG)('lists at most 10,000 entries, and says that there are more', async () => {
    const many = join(base, 'many');
    mkdirSync(many);
    for (let i = 0; i <= 10_000; i++) writeFileSync(join(many, `${i}.tif`), '');
    const [, answer] = await list(server.url, many);
    expect([answer.entries.length, answer.truncated]).toEqual([10_000, true]);
    expect(names(answer).slice(0, 3)).toEqual(['0.tif', '1.tif', '2.tif']);
    expect(names(answer).at(-1)).toBe('9999.tif');
    rmSync(many, { recursive: true });
  });

  it.each([
    ['a file', () => join(day, 'scan 2.tif'), 404, 'path_not_found', /scan 2\.tif is not a folder/],
    ['a missing folder', () => join(day, 'missing'), 404, 'path_not_found', /missing/],
    ['a relative path', () => 'day 1', 422, 'request_validation_failed', /absolute/],
    ['a path with a NUL', () => `${day}\0`, 422, 'request_validation_failed', /NUL/],
    ['a path that is too long', () => `/${'a'.repeat(8200)}`, 422, 'request_validation_failed', /limit/],
    ['a name that is too long', () => `/${'a'.repeat(300)}`, 404, 'path_not_found', /a/],
  ])('refuses %s', async (_, path, status, code, message) => {
    const [actual, answer] = await list(server.url, path());
    expect([actual, answer.error]).toEqual([status, code]);
    expect(answer.message).toMatch(message);
  });

  it('refuses other parameters, and two paths', async () => {
    for (const query of ['folder=/', 'path=/&path=/tmp', 'path=']) {
      const [status, { error }] = await ask(server.url, `folders?${query}`);
      expect([query, status, error]).toEqual([query, 422, 'request_validation_failed']);
    }
  });

  it.skipIf(process.getuid?.() === 0)('says when a folder cannot be read', async () => {
    const shut = join(base, 'shut');
    mkdirSync(shut, { mode: 0o000 });
    const [status, { error }] = await list(server.url, shut);
    chmodSync(shut, 0o700);
    expect([status, error]).toEqual([403, 'path_not_readable']);
  });
});

describe('a dropped file', () => {
  it('is found in a folder from which something was opened since the start', async () => {
    const path = join(day, 'scan 2.tif');
    expect((await locate(server.url, known(path)))[1].paths).toEqual([]);
    await postOpen(server.url, { path: join(day, 'Scan 1.tif') });
    expect((await locate(server.url, known(path)))[1].paths).toEqual([path]);
  });

  it('is found anywhere below the roots', async () => {
    const deep = mkdtempSync(join(day, 'cells', 'deep-'));
    const path = join(deep, 'cell.tif');
    writeFileSync(path, scan);
    utimesSync(path, 1_700_000_000.25, 1_700_000_000.25);
    expect((await locate(confined.url, known(path)))[1].paths).toEqual([path]);
    // A browser that knows whole seconds only.
    expect((await locate(confined.url, { ...known(path), modified: 1_700_000_000_000 }))[1].paths).toEqual([path]);
    for (const other of [{ size: scan.length + 1 }, { modified: 1_700_000_001_000 }, { name: 'cell2.tif' }]) {
      expect((await locate(confined.url, { ...known(path), ...other }))[1].paths).toEqual([]);
    }
  });

  it('is not found outside the roots, nor when it could not be opened', async () => {
    expect((await locate(confined.url, known(join(base, 'outside.tif'))))[1].paths).toEqual([]);
    expect(
      (await locate(confined.url, { ...known(join(base, 'outside.tif')), name: 'link out.tif' }))[1].paths,
    ).toEqual([]);
    expect((await locate(confined.url, known(join(day, 'notes.txt'))))[1].paths).toEqual([]);
  });

  it.each(['../outside.tif', '/etc/passwd', '..', '.', 'a\0b.tif', 'a\\b.tif', '', 'x'.repeat(256)])(
    'is refused with the name %j',
    async (name) => {
      const [status, { error }] = await locate(server.url, { name, size: 1, modified: 0 });
      expect([status, error]).toEqual([422, 'request_validation_failed']);
    },
  );
});

describe('who may list folders and look for files', () => {
  const refused = [403, 'origin_not_allowed'];
  const both = async (url: string, headers: Record<string, string>) => {
    const answers = [await list(url, day, headers), await locate(url, known(join(day, 'scan 2.tif')), headers)];
    return answers.map(([status, { error }]) => [status, error]);
  };

  it('is not a page without an origin, even where such pages may open by path', async () => {
    const open = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(base, 'state'), allowFilePages: true });
    try {
      for (const { url } of [server, open]) expect(await both(url, { origin: 'null' })).toEqual([refused, refused]);
    } finally {
      await open.close();
    }
  });

  it('is not a page of another site', async () => {
    expect(await both(server.url, { origin: 'https://evil.example' })).toEqual([refused, refused]);
    expect(await both(server.url, { 'sec-fetch-site': 'cross-site' })).toEqual([refused, refused]);
  });

  it('is whoever may open by path: programs and pages of this computer', async () => {
    for (const headers of [{}, { origin: server.url }, { origin: 'http://localhost:3000' }]) {
      expect((await both(server.url, headers)).map(([status]) => status)).toEqual([200, 200]);
    }
  });

  it('is told by the capabilities', async () => {
    const ways = async (headers: Record<string, string>) => {
      const [, answer] = await ask(server.url, 'capabilities', { headers });
      return (answer as unknown as { opening: string[] }).opening;
    };
    expect(await ways({})).toEqual(expect.arrayContaining(['path', 'folders', 'locate']));
    const filePage = await ways({ origin: 'null' });
    for (const way of ['path', 'folders', 'locate', 'upload']) expect(filePage).not.toContain(way);
  });
});
