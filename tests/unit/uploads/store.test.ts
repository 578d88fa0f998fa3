import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { UploadStore, type UploadStoreOptions } from '../../../packages/server/src/uploads/store.js';
import { tempFolder } from '../../support/temp.js';

const SENDER = { party: 'programs' };
const DISK = { free: 1e12, total: 1e12 };
const stores: UploadStore[] = [];
let folder = '';
let now = 0;

function start(options: Partial<UploadStoreOptions> = {}): UploadStore {
  if (options.folder === undefined) folder = join(tempFolder(), 'uploads');
  const store = new UploadStore({
    folder,
    budgetBytes: 1000,
    ttlSeconds: 10,
    now: () => now,
    readDisk: async () => DISK,
    report: (error) => expect.fail(String(error)),
    ...options,
  });
  stores.push(store);
  return store;
}
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function* pieces(...all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}
const bytes = (count: number) => ({ body: pieces(new Uint8Array(count)), length: undefined });

/** Folders of uploads on the disk. */
const onDisk = () => readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)));
const gone = () => expect.poll(onDisk).toEqual([]);

describe('uploads', () => {
  it('are in a folder that only this user can read, which goes when the server stops', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.tif', size: 3 }, SENDER);
    await store.receive(id, 'a.tif', { body: pieces(new Uint8Array([1, 2]), new Uint8Array([3])), length: 3 });
    const [own = ''] = readdirSync(folder);
    expect(statSync(join(folder, own)).mode & 0o777).toBe(0o700);
    const path = await store.open(id, async (upload) => upload.path);
    expect(readFileSync(path)).toEqual(Buffer.from([1, 2, 3]));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('share the budget, two at once included, and give it back', async () => {
    const store = start();
    const sizes = [600, 600].map((size) => store.create({ name: 'a.tif', size }, SENDER));
    // Which of the two wins depends on the disk.
    const ends = await Promise.allSettled(sizes);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(Promise.all(sizes)).rejects.toMatchObject({ code: 'upload_too_large', message: /400 are not in use/ });
    const { id } = await Promise.any(sizes);
    store.delete(id);
    await gone();
    await store.create({ name: 'a.tif', size: 1000 }, SENDER);
    await expect(store.create({ name: 'a.tif', size: 1 }, SENDER)).rejects.toMatchObject({ code: 'upload_too_large' });
  });

  it('leave the last tenth of the disk, what others still have to send included', async () => {
    const store = start({ budgetBytes: 1e6, readDisk: async () => ({ free: 1500, total: 10_000 }) });
    await expect(store.create({ name: 'a.tif', size: 501 }, SENDER)).rejects.toMatchObject({
      code: 'upload_too_large',
      message: /disk/,
    });
    await store.create({ name: 'a.tif', size: 300 }, SENDER);
    await expect(store.create({ name: 'a.tif', size: 201 }, SENDER)).rejects.toMatchObject({
      code: 'upload_too_large',
    });
    await store.create({ name: 'a.tif', size: 200 }, SENDER);
  });

  it('stop when the disk becomes full, and leave nothing of the file', async () => {
    let free = 1e12;
    const store = start({ budgetBytes: 1e9, readDisk: async () => ({ free, total: 1e12 }) });
    const { id } = await store.create({ name: 'a.tif', size: 2e8 }, SENDER);
    free = 1e11;
    const piece = new Uint8Array(1e7);
    let asked = 0;
    async function* endless() {
      for (; asked < 20; asked++) yield piece;
    }
    await expect(store.receive(id, 'a.tif', { body: endless(), length: undefined })).rejects.toMatchObject({
      code: 'upload_too_large',
      message: /disk/,
    });
    expect(asked).toBe(0);
    expect(readdirSync(join(folder, readdirSync(folder)[0]!, id, 'parts'))).toEqual([]);
  });

  it('check the size while it arrives, and before', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.tif', size: 100 }, SENDER);
    await expect(store.receive(id, 'a.tif', bytes(101))).rejects.toMatchObject({ code: 'upload_too_large' });
    let isAsked = false;
    async function* unread() {
      isAsked = true;
      yield new Uint8Array(1);
    }
    const announced = store.receive(id, 'a.tif', { body: unread(), length: 101 });
    await expect(announced).rejects.toMatchObject({ code: 'upload_too_large' });
    expect(isAsked).toBe(false);
    // Nothing of that counts.
    expect(await store.receive(id, 'a.tif', bytes(100))).toBe(100);
    expect(await store.receive(id, 'a.tif', bytes(60))).toBe(60);
    expect(await store.receive(id, 'b.tif', bytes(40))).toBe(100);
    await expect(store.receive(id, 'c.tif', bytes(1))).rejects.toMatchObject({ code: 'upload_too_large' });
  });

  it('do not open before all of it is there', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.tif', size: 100 }, SENDER);
    const open = () => store.open(id, async () => 'open');
    await expect(open()).rejects.toMatchObject({ code: 'upload_incomplete', message: /0 of 100 bytes/ });
    await store.receive(id, 'b.tif', bytes(100));
    await expect(open()).rejects.toMatchObject({ code: 'upload_incomplete', message: /none of its files/ });
    await store.receive(id, 'b.tif', bytes(40));
    await store.receive(id, 'a.tif', bytes(60));
    expect(await open()).toBe('open');
  });

  it('can replace a file by one of the same name, but not by a folder', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.zarr', size: 100 }, SENDER);
    await store.receive(id, 'a.zarr', bytes(10));
    await expect(store.receive(id, 'a.zarr/zarr.json', bytes(10))).rejects.toMatchObject({
      code: 'request_validation_failed',
    });
  });

  it('go with the last session that uses them', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.tif', size: 1 }, SENDER);
    await store.receive(id, 'a.tif', bytes(1));
    const [first, second] = [
      await store.open(id, async ({ use }) => use()),
      await store.open(id, async ({ use }) => use()),
    ];
    now += 1e9;
    first();
    expect(await store.open(id, async ({ path }) => existsSync(path))).toBe(true);
    second();
    await expect(store.open(id, async () => {})).rejects.toMatchObject({ code: 'upload_not_found' });
    await gone();
  });

  it('keep their files for a session when they are deleted', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.tif', size: 1 }, SENDER);
    await store.receive(id, 'a.tif', bytes(1));
    const [end, path] = await store.open(id, async (upload) => [upload.use(), upload.path] as const);
    store.delete(id);
    await expect(store.open(id, async () => {})).rejects.toMatchObject({ code: 'upload_not_found' });
    expect(existsSync(path)).toBe(true);
    end();
    await gone();
  });

  it('expire some time after the last piece, and not while one arrives', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.tif', size: 2 }, SENDER);
    async function* slow() {
      yield new Uint8Array(1);
      now += 60_000;
      expect(() => store.delete('0')).toThrow(/does not exist/);
      yield new Uint8Array(1);
    }
    await store.receive(id, 'a.tif', { body: slow(), length: 2 });
    now += 9_999;
    await store.open(id, async () => {});
    now += 10_000;
    await expect(store.open(id, async () => {})).rejects.toMatchObject({ code: 'upload_not_found' });
    await gone();
  });

  it('stop arriving when they are deleted', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.tif', size: 2 }, SENDER);
    async function* body() {
      yield new Uint8Array(1);
      store.delete(id);
      yield new Uint8Array(1);
    }
    const receiving = store.receive(id, 'a.tif', { body: body(), length: 2 });
    await expect(receiving).rejects.toMatchObject({ code: 'upload_not_found' });
    await gone();
  });

  it('do not name their folder in messages', async () => {
    const store = start();
    const { id } = await store.create({ name: 'a.tif', size: 0 }, SENDER);
    await store.receive(id, 'a.tif', bytes(0));
    const { AcqError } = await import('../../../packages/readers/src/base/errors.js');
    const failing = store.open(id, async ({ path }) => {
      throw new AcqError('companion_missing', `a.tif: b.tif is missing from ${path.slice(0, -6)}. See ${path}`);
    });
    await expect(failing).rejects.toMatchObject({ message: 'a.tif: b.tif is missing from the upload. See a.tif' });
  });

  it('are refused when the state folder is not writable', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    const store = start({ folder: join(file, 'uploads') });
    await expect(store.create({ name: 'a.tif', size: 1 }, SENDER)).rejects.toMatchObject({
      code: 'capacity_exceeded',
      message: /--state-dir/,
    });
  });
});

describe('what earlier servers left', () => {
  it('is removed at the next start, but nothing of a server that is running', async () => {
    const running = start();
    const { id } = await running.create({ name: 'a.tif', size: 1 }, SENDER);
    await running.receive(id, 'a.tif', bytes(1));
    const [own = ''] = readdirSync(folder);
    const [host, pid, begun, random] = own.split('-');
    const dead = execFileSync(process.execPath, ['-p', 'process.pid']).toString().trim();
    const put = (name: string) => {
      mkdirSync(join(folder, name, 'upload'), { recursive: true });
      writeFileSync(join(folder, name, 'upload', 'a.tif'), 'x');
      return name;
    };
    const left = [
      put(`${host}-${dead}-${begun}-${random}`),
      // The id belongs to another process now.
      put(`${host}-${pid}-00000000-${random}`),
    ];
    const other = put(`00000000-${pid}-${begun}-${random}`);
    const abandoned = put(`00000001-${pid}-${begun}-${random}`);
    utimesSync(join(folder, abandoned), 0, 0);
    const foreign = put('notes');
    await start({ folder }).cleaned;
    const names = readdirSync(folder);
    for (const name of [...left, abandoned]) expect(names).not.toContain(name);
    expect(names).toEqual(expect.arrayContaining([own, other, foreign]));
    expect(await running.open(id, async ({ path }) => existsSync(path))).toBe(true);
  });
});
