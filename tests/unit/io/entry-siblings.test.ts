import { expect, it } from 'vitest';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { EntrySiblings } from '../../../packages/readers/src/io/entry-siblings.js';
import { NameIndex } from '../../../packages/readers/src/io/name-index.js';

it('an index of names finds the exact spelling first, else any case', () => {
  const index = new NameIndex(['Scan.oir', 'scan.oir', 'Other.TIF']);
  expect(['Scan.oir', 'scan.oir', 'SCAN.OIR', 'other.tif', 'none'].map((name) => index.find(name))).toEqual([
    'Scan.oir',
    'scan.oir',
    'scan.oir',
    'Other.TIF',
    undefined,
  ]);
  expect([index.findSame('Other.TIF'), index.findSame('other.tif')]).toEqual(['Other.TIF', undefined]);
});

it('entries of an archive are opened by the names that it lists, and by no others', () => {
  const opened: string[] = [];
  const siblings = new EntrySiblings(['Plane.tif'], (name) => {
    opened.push(name);
    return new MemorySource(name, new Uint8Array());
  });
  expect(siblings.open('plane.tif')).toBeUndefined();
  expect(siblings.open('../Plane.tif')).toBeUndefined();
  expect(siblings.openAnyCase('plane.TIF')?.name).toBe('Plane.tif');
  expect(opened).toEqual(['Plane.tif']);
  expect([siblings.list(), siblings.list('inside')]).toEqual([['Plane.tif'], []]);
  expect(siblings.path).toBeUndefined();
});
