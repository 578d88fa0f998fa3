import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { folderOnDisk } from '../../../packages/server/src/platform-node/files.js';
import { tempFolder } from '../../support/temp.js';

/** System calls that look at files and folders, counted. */
const calls = vi.hoisted(() => ({ count: 0 }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const counted = <Args extends unknown[], Result>(call: (...args: Args) => Result) =>
    Object.assign((...args: Args) => {
      calls.count++;
      return call(...args);
    }, call);
  return {
    ...real,
    lstatSync: counted(real.lstatSync as (path: string) => unknown),
    statSync: counted(real.statSync as (path: string) => unknown),
    realpathSync: counted(real.realpathSync as (path: string) => string),
    opendirSync: (...args: Parameters<typeof real.opendirSync>) => {
      calls.count++;
      const folder = real.opendirSync(...args);
      return Object.assign(folder, { readSync: counted(folder.readSync.bind(folder)) });
    },
  };
});

const root = tempFolder();
const fresh = () => mkdtempSync(join(root, 'size-'));
const MAX = 20;

function filled(count: number, bytes = 10): string {
  const at = fresh();
  for (let i = 0; i < count; i++) writeFileSync(join(at, `f${i}`), new Uint8Array(bytes));
  return at;
}

beforeEach(() => {
  calls.count = 0;
});

describe('the size of named files', () => {
  it('is their sum; missing ones count nothing, a name counts once', () => {
    const at = filled(3);
    mkdirSync(join(at, 'in'));
    writeFileSync(join(at, 'in', 'g'), 'abc');
    expect(folderOnDisk(at).sizeOf(['f0', 'f1', 'f1', 'gone', 'in/g', 'nowhere/g'], MAX)).toBe(23);
  });

  it('looks at each file once, and not at one that is open', () => {
    const at = filled(MAX);
    const folder = folderOnDisk(at);
    folder.open('f0');
    calls.count = 0;
    const names = Array.from({ length: MAX }, (_, i) => `f${i}`);
    expect(folder.sizeOf(names, MAX)).toBe(10 * MAX);
    expect(calls.count).toBe(MAX - 1);
    folder.close();
  });

  it('looks at none when there are too many, however many there are', () => {
    let asked = 0;
    function* names() {
      for (;;) yield `f${asked++}`;
    }
    expect(folderOnDisk(fresh()).sizeOf(names(), MAX)).toBeUndefined();
    expect([calls.count, asked]).toEqual([0, MAX + 1]);
  });

  it('follows links inside the folder only', () => {
    const at = filled(1);
    writeFileSync(join(root, 'outside'), new Uint8Array(1000));
    mkdirSync(join(root, 'elsewhere'));
    writeFileSync(join(root, 'elsewhere', 'h'), new Uint8Array(1000));
    symlinkSync(join(at, 'f0'), join(at, 'inside'));
    symlinkSync(join(root, 'outside'), join(at, 'out'));
    symlinkSync(join(root, 'elsewhere'), join(at, 'far'));
    expect(folderOnDisk(at).sizeOf(['inside', 'out', 'far/h'], MAX)).toBe(10);
  });

  it('is not known when a file cannot be looked at', () => {
    const at = fresh();
    symlinkSync('loop', join(at, 'loop'));
    expect(folderOnDisk(at).sizeOf(['loop'], MAX)).toBeUndefined();
  });
});

describe('the size of everything in a folder', () => {
  it('is the sum of all files below', () => {
    const at = filled(2);
    mkdirSync(join(at, 'a', 'b'), { recursive: true });
    writeFileSync(join(at, 'a', 'b', 'c'), 'abc');
    expect(folderOnDisk(at).sizeOf('everything', MAX)).toBe(23);
  });

  it.each([MAX + 1, 3_000])('is given up after the first entries of %i', (count) => {
    const at = filled(count, 0);
    calls.count = 0;
    expect(folderOnDisk(at).sizeOf('everything', MAX)).toBeUndefined();
    expect(calls.count).toBeLessThanOrEqual(MAX + 2);
  });

  it('is given up in folders inside each other, which hold no file', () => {
    const at = fresh();
    mkdirSync(join(at, ...Array.from({ length: 60 }, (_, i) => `d${i}`)), { recursive: true });
    expect(folderOnDisk(at).sizeOf('everything', MAX)).toBeUndefined();
    expect(calls.count).toBeLessThanOrEqual(3 * (MAX + 1));
  });

  it('is not known with a link among them', () => {
    const at = filled(1);
    symlinkSync(join(at, 'f0'), join(at, 'link'));
    expect(folderOnDisk(at).sizeOf('everything', MAX)).toBeUndefined();
  });
});
