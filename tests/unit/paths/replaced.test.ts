/** A link takes the place of a folder while it is looked at, at each moment between two requests to the system. */
import {
  mkdirSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCopies } from '../../../packages/server/src/paths/find-copies.js';
import { listFolder } from '../../../packages/server/src/paths/list-folder.js';
import { checkFile, locate } from '../../../packages/server/src/paths/locate.js';
import { Look } from '../../../packages/server/src/paths/look.js';
import { FilesOnDisk, folderOnDisk } from '../../../packages/server/src/platform-node/files.js';
import { tempFolder } from '../../support/temp.js';

const base = realpathSync(tempFolder());
const root = join(base, 'root');
const inside = join(root, 'day', 'a');
const outside = join(base, 'outside');
const INSIDE_SIZE = 3;
const OUTSIDE_SIZE = 777;
const policy = { roots: [root], allowedExtensions: ['.tif', '.oif', '.zarr'], platform: process.platform };

for (const [folder, size] of [
  [inside, INSIDE_SIZE],
  [outside, OUTSIDE_SIZE],
] as const) {
  mkdirSync(join(folder, 'deep'), { recursive: true });
  mkdirSync(join(folder, 'scan.oif.files'));
  for (const name of ['scan.tif', 'scan.oif', 'deep/cell.tif', 'scan.oif.files/s_C001.tif']) {
    writeFileSync(join(folder, name), 'x'.repeat(size));
    utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000);
  }
}
writeFileSync(join(outside, 'secret.tif'), 'x');
mkdirSync(join(outside, 'secret folder'));
symlinkSync(join(inside, 'scan.tif'), join(inside, 'link.tif'));
symlinkSync('deep', join(inside, 'link'));

/** Another `day/a`. */
const elsewhere = join(base, 'elsewhere');
mkdirSync(join(elsewhere, 'a'), { recursive: true });
writeFileSync(join(elsewhere, 'a', 'secret.tif'), 'x');

/** What puts a link in the place of a folder, and takes it away. */
const swap = (folder: string, target: string) => ({
  replace: () => {
    renameSync(folder, `${folder} aside`);
    symlinkSync(target, folder);
  },
  restore: () => {
    unlinkSync(folder);
    renameSync(`${folder} aside`, folder);
  },
});
const itself = swap(inside, outside);
const above = swap(join(root, 'day'), elsewhere);

interface Attempt<T> {
  value?: T;
  error?: unknown;
}

/** Runs `work` again and again: the folder is replaced at each step, and stays so for `held` steps. */
function* atEachStep<T>(
  work: (look: Look) => T,
  held: number,
  platform = process.platform,
  { replace, restore } = itself,
): Generator<Attempt<T>> {
  for (let at = 1, steps = at; at <= steps; at++) {
    steps = 0;
    let isReplaced = false;
    const onStep = () => {
      steps++;
      if (steps === at) replace();
      if (steps === at) isReplaced = true;
      if (steps !== at + held || !isReplaced) return;
      restore();
      isReplaced = false;
    };
    const look = new Look(platform, [], undefined, onStep);
    const attempt: Attempt<T> = {};
    try {
      attempt.value = work(look);
    } catch (error) {
      attempt.error = error;
    }
    if (isReplaced) restore();
    yield attempt;
  }
}

const known = (size: number) => ({ name: 'cell.tif', size, modified: 1_700_000_000_000 });
const search = { folder: root, deep: true, milliseconds: 60_000 };
const FOREVER = 1_000;

describe.runIf(process.platform === 'linux')('a folder that a link replaces for a moment', () => {
  it.each([1, 3, FOREVER])('is not listed from outside the roots (for %i steps)', (held) => {
    let listed = 0;
    for (const { value } of atEachStep((look) => listFolder(inside, policy, look), held)) {
      if (!value) continue;
      listed++;
      expect(value.path.startsWith(root)).toBe(true);
      expect(JSON.stringify(value)).not.toMatch(/secret|777/);
    }
    expect(listed).toBeGreaterThan(10);
  });

  it.each([1, 3, FOREVER])('is not listed from outside the roots by a folder above it (for %i steps)', (held) => {
    let listed = 0;
    for (const { value } of atEachStep((look) => listFolder(inside, policy, look), held, 'linux', above)) {
      if (value) listed++;
      expect(JSON.stringify(value) ?? '').not.toMatch(/secret|elsewhere/);
    }
    expect(listed).toBeGreaterThan(10);
  });

  it.each([1, 3, FOREVER])('tells nothing about the files of another one that are searched (for %i steps)', (held) => {
    for (const { value } of atEachStep((look) => findCopies(known(OUTSIDE_SIZE), search, policy, look), held)) {
      expect(value).toEqual([]);
    }
    const found = [...atEachStep((look) => findCopies(known(INSIDE_SIZE), search, policy, look), held)];
    expect(found.filter(({ value }) => value?.length === 1).length).toBeGreaterThan(3);
  });

  it.each([1, 3, FOREVER])('does not give the identity of a file outside (for %i steps)', (held) => {
    // Without its `scan.oif`, a part is opened by itself.
    const allowed = ['scan.tif', 'scan.oif', 'scan.oif.files/s_C001.tif'].map((name) =>
      String(statSync(join(inside, name)).ino),
    );
    for (const name of ['scan.tif', 'scan.oif.files/s_C001.tif']) {
      const path = join(inside, name);
      const attempts = [...atEachStep((look) => locate(path, policy, look), held)];
      const located = attempts.flatMap(({ value }) => value ?? []);
      for (const { path: real, ino } of located) {
        expect(real.startsWith(root)).toBe(true);
        expect(allowed).toContain(ino);
      }
      expect(located.length).toBeGreaterThan(0);
    }
  });

  it.each([2, 3])('does not tell whether a file is outside (for %i steps)', (held) => {
    const look = (one: Look) => checkFile(join(inside, 'secret.tif'), policy, one);
    for (const { error } of atEachStep(look, held)) {
      expect(['path_not_found', 'path_not_allowed']).toContain((error as { code?: string } | undefined)?.code);
    }
  });
});

it('where the system does not tell paths, a list is dropped when its folder is another one afterwards', () => {
  const attempts = [...atEachStep((look) => listFolder(inside, policy, look), FOREVER, 'freebsd')];
  for (const { value } of attempts) expect(JSON.stringify(value ?? '')).not.toMatch(/secret|777/);
  const codes = attempts.map(({ error }) => (error as { code?: string } | undefined)?.code);
  expect(codes).toContain('path_not_allowed');
  expect(attempts.filter(({ value }) => value !== undefined).length).toBeLessThan(attempts.length / 2);
});

describe.runIf(process.platform === 'linux')('the other files of an acquisition', () => {
  const refused = expect.objectContaining({
    code: 'path_not_allowed',
    message: expect.stringContaining('was replaced'),
  });

  it('are not read, or listed, outside its folder when a link replaces that', () => {
    const folder = folderOnDisk(inside);
    expect(folder.open('scan.tif')?.size).toBe(INSIDE_SIZE);
    itself.replace();
    try {
      expect(() => folder.open('secret.tif')).toThrow(refused);
      expect(() => folder.open('deep/cell.tif')).toThrow(refused);
      expect(folder.list()).toEqual([]);
    } finally {
      itself.restore();
      folder.close();
    }
  });

  it('are not read outside when a descriptor is needed again', () => {
    const folder = new FilesOnDisk(inside);
    const source = folder.open('scan.tif');
    source?.readHead(0);
    source?.park();
    itself.replace();
    try {
      expect(() => source?.read(0, 1)).toThrow(refused);
    } finally {
      itself.restore();
      folder.close();
    }
  });
});
