import { describe, expect, it } from 'vitest';
import type { AcqError } from '../../../packages/readers/src/base/errors.js';
import { parseUploadPath } from '../../../packages/server/src/uploads/names.js';

function problem(path: string, platform: NodeJS.Platform = 'linux'): string {
  try {
    parseUploadPath(path, ['path', 'key'], platform);
    return 'none';
  } catch (error) {
    return (error as AcqError).message.replace(/^.*cannot be used: it /s, '');
  }
}

describe('the name of an uploaded file', () => {
  it.each([
    ['..', 'leads to another folder.'],
    ['../scan.tif', 'leads to another folder.'],
    ['a/../../b.tif', 'leads to another folder.'],
    ['a/./b.tif', 'leads to another folder.'],
    ['/etc/passwd', 'has an empty part.'],
    ['a//b.tif', 'has an empty part.'],
    ['', 'has an empty part.'],
    ['a/', 'has an empty part.'],
    ['C:/scan.tif', 'starts with a drive.'],
    ['c:scan.tif', 'starts with a drive.'],
    ['a\0b.tif', 'contains a backslash or a control character.'],
    ['..\\scan.tif', 'contains a backslash or a control character.'],
    ['a\nb.tif', 'contains a backslash or a control character.'],
    ['\ud800.tif', 'is not valid text.'],
    ['é'.repeat(128), 'has a part of more than 255 bytes.'],
    [`${'a/'.repeat(32)}b.tif`, 'has more than 32 folders.'],
  ])('%j is refused', (name, reason) => expect(problem(name)).toBe(reason));

  it.each(['CON', 'nul.tif', 'com1.zarr', 'a/LPT9', 'a<b.tif', 'ab:c.tif', 'dot.', 'blank '])(
    '%j is refused on Windows only',
    (name) => {
      expect(problem(name, 'win32')).toMatch(/device|Windows/);
      expect(problem(name, 'linux')).toBe('none');
    },
  );

  it('is otherwise any text, with folders', () => {
    expect(parseUploadPath('Zelle 1 µm.oif.files/s_C001.tif', [], 'linux')).toEqual([
      'Zelle 1 µm.oif.files',
      's_C001.tif',
    ]);
    expect(problem('é'.repeat(127))).toBe('none');
    expect(problem('...')).toBe('none');
  });
});
