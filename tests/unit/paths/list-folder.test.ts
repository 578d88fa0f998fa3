import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LIST_LIMITS, listFolder } from '../../../packages/server/src/paths/list-folder.js';
import { Look } from '../../../packages/server/src/paths/look.js';
import { tempFolder } from '../../support/temp.js';

const base = tempFolder();
const folder = join(base, 'folder');
const policy = { roots: [], allowedExtensions: ['.tif', '.zarr'], platform: process.platform };
mkdirSync(join(folder, 'b'), { recursive: true });
mkdirSync(join(folder, 'store'));
writeFileSync(join(folder, 'store', 'zarr.json'), '{}');
for (const name of ['a2.tif', 'a10.tif', 'a1.TIF']) writeFileSync(join(folder, name), name);
symlinkSync(join(base, 'nas', 'data'), join(folder, 'data'));
const everywhere = new Look();

it('a list of a folder ends at its limits, and says so', () => {
  expect(LIST_LIMITS.maxEntries).toBe(10_000);
  const short = listFolder(folder, policy, everywhere, { ...LIST_LIMITS, maxEntries: 2 });
  expect([short.entries.map(({ name }) => name), short.truncated]).toEqual([['a1.TIF', 'a2.tif'], true]);
  const few = listFolder(folder, policy, everywhere, { ...LIST_LIMITS, maxRead: 3 });
  expect(few.truncated).toBe(true);
  const whole = listFolder(folder, policy, everywhere, { ...LIST_LIMITS, maxRead: 6, maxEntries: 6 });
  expect(whole.truncated).toBe(false);
});

it('a list of a folder on a slow drive has names only', () => {
  const entries = (milliseconds: number) =>
    listFolder(folder, policy, everywhere, { ...LIST_LIMITS, milliseconds }).entries.map(
      ({ name, size, modified, openable }) => [name, size, modified !== null, openable],
    );
  expect(entries(60_000)).toEqual([
    ['a1.TIF', 6, true, true],
    ['a2.tif', 6, true, true],
    ['a10.tif', 7, true, true],
    ['b', null, true, false],
    ['store', null, true, true],
  ]);
  expect(entries(-1)).toEqual([
    ['a1.TIF', null, false, true],
    ['a2.tif', null, false, true],
    ['a10.tif', null, false, true],
    ['b', null, false, false],
    ['store', null, false, false],
  ]);
});

it.skipIf(process.platform !== 'linux')(
  'a list of a folder does not ask drives that a link or a mount leads to',
  () => {
    mkdirSync(join(folder, 'mounted'), { recursive: true });
    const look = new Look('linux', ['/', join(base, 'nas'), join(folder, 'mounted')], ['/']);
    const entries = listFolder(folder, policy, look).entries.filter(
      ({ name }) => name === 'data' || name === 'mounted',
    );
    const unknown = { kind: 'folder', size: null, modified: null, openable: false };
    expect(entries).toMatchObject([unknown, unknown]);
    const confined = listFolder(folder, { ...policy, roots: [folder] }, look);
    expect(confined.entries.map(({ name }) => name)).not.toContain('data');
  },
);
