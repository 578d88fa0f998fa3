import { expect, it } from 'vitest';
import { Folder } from '../../../packages/readers/src/io/folder.js';
import { FilesInMemory } from '../../support/files-in-memory.js';

const [composed, decomposed] = ['scän/été.tif'.normalize('NFC'), 'scän/été.tif'.normalize('NFD')] as const;

it('a folder finds names with accents in the other form of Unicode, in every part, and lists what is inside', () => {
  const files = new FilesInMemory(new Map([[decomposed, new Uint8Array(5)]]));
  const folder = new Folder(files);
  expect(folder.open(composed)?.size).toBe(5);
  expect(folder.open('scan/ete.tif')).toBeUndefined();
  expect(folder.list('scän'.normalize('NFC'))).toEqual([decomposed.split('/')[1]]);
  expect(folder.hasOpened(composed)).toBe(true);
  expect(folder.sizeOf([composed, 'gone'])).toBe(5);
});

it('a folder refuses names that lead out of it before it asks for them', () => {
  const files = new FilesInMemory(new Map([['../a', new Uint8Array(1)]]));
  expect(() => new Folder(files).open('../a')).toThrow('../a: a file may only refer to files inside its own folder');
  expect(new Folder(files).list('..')).toEqual([]);
});
