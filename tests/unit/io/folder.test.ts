import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Folder } from '../../../src/io/folder.js';
import { tempFolder } from '../../support/temp.js';

const root = tempFolder();

function setOf(count: number): string {
  const at = mkdtempSync(join(root, 'set-'));
  for (let i = 0; i < count; i++) writeFileSync(join(at, `part${i}.bin`), Uint8Array.of(i & 255, i >> 8));
  return at;
}

const descriptors = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

describe('the folder of an acquisition', () => {
  it('reads a set of 500 files with few descriptors, twice', () => {
    const before = descriptors();
    const folder = new Folder(setOf(500));
    const parts = Array.from({ length: 500 }, (_, i) => folder.open(`part${i}.bin`));
    for (let round = 0; round < 2; round++) {
      for (const [i, part] of parts.entries()) expect(part?.read(0, 2)).toEqual(Uint8Array.of(i & 255, i >> 8));
      expect(descriptors() - before).toBeLessThanOrEqual(40);
    }
    expect(folder.fingerprints()).toHaveLength(500);
    folder.close();
    expect(descriptors()).toBe(before);
    expect(() => parts[3]?.read(0, 2)).toThrow(/is closed/);
  });

  it('does not mix a file with what took its place', () => {
    const at = setOf(100);
    const folder = new Folder(at);
    const first = folder.open('part0.bin');
    for (let i = 1; i < 100; i++) folder.open(`part${i}.bin`);
    appendFileSync(join(at, 'part0.bin'), 'more');
    expect(() => first?.read(0, 2)).toThrow(/changed while it was open/);
    folder.close();
  });

  it.each(['../outside.bin', 'inner/../../outside.bin', '/etc/passwd', '', 'a\0b'])('refuses the name %j', (name) => {
    expect(() => new Folder(setOf(1)).open(name)).toThrow(/inside its own folder/);
  });

  it('refuses a link that leads out, and follows one that does not', () => {
    const at = setOf(1);
    writeFileSync(join(root, 'outside.bin'), 'secret');
    symlinkSync(join(root, 'outside.bin'), join(at, 'link.bin'));
    symlinkSync(join(at, 'part0.bin'), join(at, 'inner.bin'));
    const folder = new Folder(at);
    expect(() => folder.open('link.bin')).toThrow(/links to a file outside/);
    expect(folder.open('inner.bin')?.size).toBe(2);
    folder.close();
  });

  it.runIf(process.platform !== 'win32')('opens names that only Windows forbids', () => {
    const at = setOf(0);
    writeFileSync(join(at, 'scan 12:30 \\ left.tif'), 'x');
    const folder = new Folder(at);
    expect(folder.open('scan 12:30 \\ left.tif')?.size).toBe(1);
    folder.close();
  });

  it('finds a name in another case, and nothing where there is nothing', () => {
    const at = setOf(0);
    mkdirSync(join(at, 'Sub'));
    writeFileSync(join(at, 'Scan.TXT'), 'x');
    const folder = new Folder(at);
    expect(folder.openAnyCase('scan.txt')?.size).toBe(1);
    expect(folder.openAnyCase('other.txt')).toBeUndefined();
    expect(folder.list('Sub')).toEqual([]);
    expect(folder.list('missing')).toEqual([]);
    folder.close();
  });
});
