import fs, { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Folder } from '../../../packages/readers/src/io/folder.js';
import { FilesOnDisk, folderOnDisk } from '../../../packages/server/src/platform-node/files.js';
import { tempFolder } from '../../support/temp.js';

const root = tempFolder();

type FileCall = 'realpathSync' | 'openSync' | 'lstatSync' | 'statSync';

/** Counts the calls of functions of `node:fs` during some work. */
function countCalls<Name extends FileCall>(names: readonly Name[], work: () => void): Record<Name, number> {
  const spies = names.map((name) => vi.spyOn(fs, name));
  syncBuiltinESMExports();
  try {
    work();
    return Object.fromEntries(names.map((name, i) => [name, spies[i]!.mock.calls.length])) as Record<Name, number>;
  } finally {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  }
}

function setOf(count: number): string {
  const at = mkdtempSync(join(root, 'set-'));
  for (let i = 0; i < count; i++) writeFileSync(join(at, `part${i}.bin`), Uint8Array.of(i & 255, i >> 8));
  return at;
}

const descriptors = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

describe('the folder of an acquisition', () => {
  it('reads a set of 500 files with few descriptors, twice', () => {
    const before = descriptors();
    const files = new FilesOnDisk(setOf(500));
    const folder = new Folder(files);
    const parts = Array.from({ length: 500 }, (_, i) => folder.open(`part${i}.bin`));
    for (let round = 0; round < 2; round++) {
      for (const [i, part] of parts.entries()) expect(part?.read(0, 2)).toEqual(Uint8Array.of(i & 255, i >> 8));
      expect(descriptors() - before).toBeLessThanOrEqual(40);
    }
    expect(files.fingerprints()).toHaveLength(500);
    folder.close();
    expect(descriptors()).toBe(before);
    expect(() => parts[3]?.read(0, 2)).toThrow(/is closed/);
  });

  it('does not mix a file with what took its place', () => {
    const at = setOf(100);
    const folder = folderOnDisk(at);
    const first = folder.open('part0.bin');
    for (let i = 1; i < 100; i++) folder.open(`part${i}.bin`);
    appendFileSync(join(at, 'part0.bin'), 'more');
    expect(() => first?.read(0, 2)).toThrow(/changed while it was open/);
    folder.close();
  });

  it('refuses drives, streams and backslashes in names on Windows, which are ordinary characters elsewhere', () => {
    const folder = folderOnDisk(setOf(1));
    const names = ['C:part0.bin', 'part0.bin:stream', '..\\part0.bin'];
    for (const name of names) expect(folder.open(name)).toBeUndefined();
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      for (const name of names) expect(() => folder.open(name)).toThrow(/inside its own folder/);
      expect(folder.list('a\\b')).toEqual([]);
      expect(folder.open('part0.bin')?.size).toBe(2);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
      folder.close();
    }
  });

  it.each(['../outside.bin', 'inner/../../outside.bin', '/etc/passwd', '', 'a\0b'])('refuses the name %j', (name) => {
    expect(() => folderOnDisk(setOf(1)).open(name)).toThrow(/inside its own folder/);
  });

  it('refuses a link that leads out, and follows one that does not', () => {
    const at = setOf(1);
    writeFileSync(join(root, 'outside.bin'), 'secret');
    symlinkSync(join(root, 'outside.bin'), join(at, 'link.bin'));
    symlinkSync(join(at, 'part0.bin'), join(at, 'inner.bin'));
    const folder = folderOnDisk(at);
    expect(() => folder.open('link.bin')).toThrow(/links to a file outside/);
    expect(folder.open('inner.bin')?.size).toBe(2);
    folder.close();
  });

  it('refuses a folder that is a link to one outside, also after it has opened others', () => {
    const at = setOf(1);
    const outside = setOf(2);
    mkdirSync(join(at, 'inside'));
    writeFileSync(join(at, 'inside', 'a.bin'), 'abc');
    symlinkSync(outside, join(at, 'out'));
    symlinkSync(join(at, 'inside'), join(at, 'alias'));
    symlinkSync(join(outside, 'part0.bin'), join(at, 'inside', 'b.bin'));
    const folder = folderOnDisk(at);
    expect(folder.open('inside/a.bin')?.size).toBe(3);
    expect(folder.open('alias/a.bin')).toBe(folder.open('inside/a.bin'));
    expect(folder.open('inside/missing.bin')).toBeUndefined();
    expect(folder.open('nowhere/missing.bin')).toBeUndefined();
    expect(folder.open('inside/a.bin/part.bin')).toBeUndefined();
    for (const name of ['out/part0.bin', 'out/part1.bin', 'inside/b.bin', 'alias/b.bin']) {
      expect(() => folder.open(name), name).toThrow(/links to a file outside/);
    }
    expect(() => folder.open('inside')).toThrow(/is not a regular file/);
    folder.close();
  });

  it.runIf(process.platform !== 'win32')('looks at each folder once, and opens each file once', () => {
    const at = setOf(0);
    for (let i = 0; i < 20; i++) {
      mkdirSync(join(at, 'c', String(i % 2)), { recursive: true });
      writeFileSync(join(at, 'c', String(i % 2), String(i)), 'x');
    }
    const folder = folderOnDisk(at);
    const calls = countCalls(['realpathSync', 'openSync', 'lstatSync', 'statSync'], () => {
      for (let i = 0; i < 30; i++) folder.open(`c/${i % 2}/${i}`)?.read(0, 1);
    });
    expect(calls).toEqual({ realpathSync: 0, openSync: 30, lstatSync: 3, statSync: 0 });
    rmSync(join(at, 'c/0/4'));
    expect(folder.open('c/0/4')).toBeUndefined();
    expect(folder.open('c/0/6')).toBe(folder.open('c/0/6'));
    folder.close();
  });

  it.runIf(process.platform !== 'win32')('opens names that only Windows forbids', () => {
    const at = setOf(0);
    writeFileSync(join(at, 'scan 12:30 \\ left.tif'), 'x');
    const folder = folderOnDisk(at);
    expect(folder.open('scan 12:30 \\ left.tif')?.size).toBe(1);
    folder.close();
  });

  it('finds a name in another case, and nothing where there is nothing', () => {
    const at = setOf(0);
    mkdirSync(join(at, 'Sub'));
    writeFileSync(join(at, 'Scan.TXT'), 'x');
    const folder = folderOnDisk(at);
    expect(folder.openAnyCase('scan.txt')?.size).toBe(1);
    expect(folder.openAnyCase('other.txt')).toBeUndefined();
    expect(folder.list('Sub')).toEqual([]);
    expect(folder.list('missing')).toEqual([]);
    folder.close();
  });
});
