import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { baseName, lastPart, parentOf, pathInside, resolveName } from '../../../packages/readers/src/io/paths.js';

describe('names inside a folder', () => {
  it.each([
    ['a.tif', 'a.tif', ''],
    ['a/b.tif', 'b.tif', 'a'],
    ['a/b/c', 'c', 'a/b'],
    ['a\\b.tif', 'a\\b.tif', ''],
  ])('%s is %s in the folder "%s"', (name, last, parent) => {
    expect(lastPart(name)).toBe(last);
    expect(parentOf(name)).toBe(parent);
  });

  it.each([
    ['', 'a', 'a'],
    ['a', './b//c', 'a/b/c'],
    ['a/b', '../c', 'a/c'],
    ['a', '../../b', undefined],
    ['a', '../../a/b', undefined],
    ['a', '..', undefined],
    ['', '.', undefined],
  ])('from "%s", %s is %s', (from, name, expected) => expect(resolveName(from, name)).toBe(expected));
});

describe('absolute paths', () => {
  it.each([
    ['/data/a.tif', posix],
    ['/', posix],
    ['/data/a\\b.tif', posix],
    ['/data/C:\\a.tif', posix],
    ['C:\\data\\a.tif', win32],
    ['C:\\', win32],
    ['C:/data/a.tif', win32],
    ['\\\\server\\share\\data\\a.tif', win32],
  ])('%s ends as on its system', (path, { basename }) => expect(baseName(path)).toBe(basename(path)));

  it.each([
    ['/data', 'a/b', posix],
    ['/data', '', posix],
    ['/data', './a\\b', posix],
    ['/data/set', '../other/a', posix],
    ['/data', '../../a', posix],
    ['/', 'a', posix],
    ['C:\\data', 'a/b', win32],
    ['C:\\data', '../a', win32],
    ['C:\\', 'a', win32],
    ['\\\\server\\share\\data', 'a', win32],
  ])('%s and %s join as on their system', (folder, name, { join }) =>
    expect(pathInside(folder, name)).toBe(join(folder, name)),
  );
});
