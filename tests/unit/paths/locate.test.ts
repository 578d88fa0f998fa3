import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { locate } from '../../../packages/server/src/paths/locate.js';
import { Look } from '../../../packages/server/src/paths/look.js';
import { checkPathForm, isInside, type PathPolicy } from '../../../packages/server/src/paths/policy.js';
import { tempFolder } from '../../support/temp.js';

const base = tempFolder();
const inside = join(base, 'data');
const open: PathPolicy = { roots: [], allowedExtensions: ['.tif', '.ome.tif'], platform: process.platform };
const confined: PathPolicy = { ...open, roots: [inside] };

const look = new Look();

const codeOf = (path: string, policy: PathPolicy, picked = false): string => {
  try {
    return `opened ${locate(path, policy, look, picked).path}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

beforeAll(() => {
  for (const folder of ['data', 'data/sub', 'data-other', 'elsewhere']) mkdirSync(join(base, folder));
  for (const file of ['data/a.tif', 'data/A.OME.TIF', 'data/note.txt', 'data-other/b.tif', 'elsewhere/secret.tif']) {
    writeFileSync(join(base, file), 'x');
  }
  symlinkSync(join(base, 'elsewhere/secret.tif'), join(inside, 'out.tif'));
  symlinkSync(join(base, 'elsewhere'), join(inside, 'way-out'));
  symlinkSync(inside, join(base, 'way-in'));
  symlinkSync(join(inside, 'loop.tif'), join(inside, 'loop.tif'));
  execFileSync('mkfifo', [join(inside, 'pipe.tif')]);
});

describe('without roots', () => {
  it('opens a file anywhere, by its real path', () => {
    expect(codeOf(join(base, 'way-in/a.tif'), open)).toBe(`opened ${join(inside, 'a.tif')}`);
    expect(codeOf(join(inside, 'sub/../a.tif'), open)).toBe(`opened ${join(inside, 'a.tif')}`);
    expect(codeOf(join(inside, 'A.OME.TIF'), open)).toBe(`opened ${join(inside, 'A.OME.TIF')}`);
  });

  it('passes folders on: what they are is for the formats to say', () => {
    expect(codeOf(join(inside, 'sub'), open)).toBe(`opened ${join(inside, 'sub')}`);
    expect(codeOf(`${join(inside, 'sub')}/`, open)).toBe(`opened ${join(inside, 'sub')}`);
  });

  it.each([
    ['missing.tif', 'path_not_found'],
    ['a.tif/below.tif', 'path_not_found'],
    ['loop.tif', 'path_not_found'],
    [`${'n'.repeat(300)}.tif`, 'path_not_found'],
    ['pipe.tif', 'path_not_allowed'],
    ['note.txt', 'unsupported_format'],
    ['missing.txt', 'unsupported_format'],
    ['missing', 'unsupported_format'],
  ])('%s is %s', (name, code) => expect(codeOf(join(inside, name), open)).toBe(code));

  it('names a device as what it is', () => {
    expect(codeOf('/dev/null', open)).toBe('path_not_allowed');
  });

  it.each(['', 'a.tif', './a.tif', '/data/a\0.tif'])('%j is no request', (path) => {
    expect(codeOf(path, open)).toBe('request_validation_failed');
  });

  it('refuses what may not be looked at', () => {
    const locked = join(base, 'locked');
    mkdirSync(locked);
    writeFileSync(join(locked, 'c.tif'), 'x');
    chmodSync(locked, 0o000);
    // The superuser may look at everything.
    const expected = process.getuid?.() === 0 ? `opened ${join(locked, 'c.tif')}` : 'path_not_readable';
    const code = codeOf(join(locked, 'c.tif'), open);
    chmodSync(locked, 0o700);
    expect(code).toBe(expected);
  });

  it('does not tell an unreadable name that exists from one that does not', () => {
    const message = (name: string) => {
      try {
        return locate(join(inside, name), open, look).path;
      } catch (error) {
        return (error as Error).message;
      }
    };
    const [present, missing] = [message('note.txt'), message('nope.txt')];
    expect(String(present).replace('note', 'nope')).toBe(missing);
  });
});

describe('with roots', () => {
  it('opens what lies inside, whatever way it was named', () => {
    expect(codeOf(join(inside, 'a.tif'), confined)).toBe(`opened ${join(inside, 'a.tif')}`);
    expect(codeOf(join(base, 'way-in/a.tif'), confined)).toBe(`opened ${join(inside, 'a.tif')}`);
    expect(codeOf(inside, confined)).toBe(`opened ${inside}`);
  });

  it.each([
    'data-other/b.tif',
    'elsewhere/secret.tif',
    'data/../elsewhere/secret.tif',
    'data/out.tif',
    'data/way-out/secret.tif',
    'data/way-out/missing.tif',
    'elsewhere/missing.tif',
    'elsewhere/missing/deeper.tif',
    'elsewhere/missing.txt',
    'elsewhere',
    'data/missing/../../elsewhere/secret.tif',
    'data/missing/../../elsewhere/missing.tif',
  ])('%s is not allowed, there or not', (name) => {
    expect(codeOf(`${base}/${name}`, confined)).toBe('path_not_allowed');
  });

  it('says what is missing inside', () => {
    expect(codeOf(join(inside, 'missing.tif'), confined)).toBe('path_not_found');
    expect(codeOf(join(inside, 'missing/deeper.tif'), confined)).toBe('path_not_found');
  });

  it('does not confine what the user picked in the dialog', () => {
    expect(codeOf(join(base, 'elsewhere/secret.tif'), confined, true)).toBe(
      `opened ${join(base, 'elsewhere/secret.tif')}`,
    );
  });
});

describe('inside', () => {
  it.each<[string, string, NodeJS.Platform, boolean]>([
    ['/data/a.tif', '/data', 'linux', true],
    ['/data', '/data', 'linux', true],
    ['/data/a.tif', '/', 'linux', true],
    ['/data2/a.tif', '/data', 'linux', false],
    ['/Data/a.tif', '/data', 'linux', false],
    ['/Data/a.tif', '/data', 'darwin', true],
    ['/Daten/\u00fcbung/a.tif', '/daten/u\u0308bung', 'darwin', true],
    ['C:\\Data\\a.tif', 'c:\\data', 'win32', true],
    ['C:\\Data2\\a.tif', 'C:\\Data', 'win32', false],
    ['D:\\Data\\a.tif', 'C:\\Data', 'win32', false],
    ['\\\\lab\\share\\a.tif', '\\\\lab\\share', 'win32', true],
  ])('%s in %s on %s: %s', (path, root, platform, expected) => expect(isInside(path, root, platform)).toBe(expected));
});

describe('on Windows', () => {
  const policy = { roots: [] as string[], platform: 'win32' as const };
  const verdict = (path: string, roots: string[] = [], picked = false): string => {
    try {
      checkPathForm(path, { ...policy, roots }, picked);
      return 'fine';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it.each([
    ['C:\\Data\\scan 1.oir', 'fine'],
    ['C:/Data/scan.oir', 'fine'],
    ['C:\\Data\\console.tif', 'fine'],
    ['Data\\scan.oir', 'request_validation_failed'],
    [`C:\\${'a'.repeat(32_763)}`, 'fine'],
    [`C:\\${'ä'.repeat(32_763)}`, 'fine'],
    [`C:\\${'a'.repeat(32_765)}`, 'request_validation_failed'],
    ['C:scan.oir', 'request_validation_failed'],
    ['\\\\evil\\share\\scan.tif', 'path_not_allowed'],
    ['//evil/share/scan.tif', 'path_not_allowed'],
    ['\\\\?\\C:\\Data\\scan.tif', 'path_not_allowed'],
    ['\\\\.\\PhysicalDrive0', 'path_not_allowed'],
    ['//?/C:/scan.tif', 'path_not_allowed'],
    ['C:\\Data\\CON', 'path_not_allowed'],
    ['C:\\Data\\nul.tif', 'path_not_allowed'],
    ['C:\\com1.tif\\a.tif', 'path_not_allowed'],
    ['C:\\Data\\scan.tif:hidden', 'path_not_allowed'],
  ])('%s is %s', (path, expected) => expect(verdict(path)).toBe(expected));

  it('opens a network share that is a root, or that the user picked', () => {
    expect(verdict('\\\\lab\\share\\a.tif', ['\\\\lab\\share'])).toBe('fine');
    expect(verdict('\\\\lab\\share\\..\\other\\a.tif', ['\\\\lab\\share\\sub'])).toBe('path_not_allowed');
    expect(verdict('\\\\evil\\share\\a.tif', ['\\\\lab\\share'])).toBe('path_not_allowed');
    expect(verdict('\\\\lab\\share\\a.tif', [], true)).toBe('fine');
    expect(verdict('\\\\?\\C:\\a.tif', [], true)).toBe('path_not_allowed');
  });
});
