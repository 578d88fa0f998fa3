import { describe, expect, it } from 'vitest';
import { grouped } from '../../../packages/readers/src/base/wording.js';
import { lookup3 } from '../../../packages/readers/src/hdf5/checksum.js';
import { Container } from '../../../packages/readers/src/hdf5/container.js';
import { Hdf5File } from '../../../packages/readers/src/hdf5/file.js';
import { fletcher32 } from '../../../packages/readers/src/hdf5/filters.js';
import { MemorySource } from '../../../packages/readers/src/io/byte-source.js';
import { KINDS, openTree, planeOf } from '../../support/hdf5.js';
import { writeHdf5 } from '../../writers/hdf5.js';

describe.each(KINDS)('groups and attributes of the %s kind', (kind) => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`member ${i}`, { attrs: { number: i } }]));
  const attrs = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`attribute ${i}`, { vlen: `value ${i} µ` }]));
  const file = openTree(
    {
      attrs,
      members: {
        many: { members: many },
        'soft link': { soft: '/many/member 7' },
        relative: { soft: 'many' },
        loop: { soft: '/loop' },
        back: { members: { forth: { soft: '/back/forth/back' } } },
        texts: { data: { vlen: ['a', '', 'ccc µ'] } },
        stamps: { data: Float64Array.from({ length: 100 }, (_, i) => i / 8), chunks: [30], filters: ['gzip'] },
      },
    },
    { kind },
  );

  it('finds members by path', () => {
    expect(file.find('/many')?.links.size).toBe(150);
    expect(file.find('many/member 149')?.number('number')).toBe(149);
    expect(file.find('/nothing/here')).toBeUndefined();
  });

  it('follows soft links and refuses loops', () => {
    expect(file.find('/soft link')?.number('number')).toBe(7);
    expect(file.find('/relative/member 3')?.number('number')).toBe(3);
    expect(() => file.find('/loop')).toThrow(/contains a loop/);
    expect(() => file.find('/back/forth')).toThrow(/contains a loop/);
  });

  it('reads texts and numbers', async () => {
    expect(file.root.attributeNames).toHaveLength(20);
    expect(file.root.text('attribute 19')).toBe('value 19 µ');
    expect((await file.find('texts')?.dataset.values())?.texts).toEqual(['a', '', 'ccc µ']);
    expect((await file.find('stamps')?.dataset.values())?.numbers?.[99]).toBe(99 / 8);
  });
});

it('reads text attributes in all their forms', () => {
  const attrs = {
    fixed: 'µm',
    chars: { chars: '2.5 µm' },
    comma: '0,25',
    number: Int32Array.of(3),
    empty: { chars: '' },
  };
  const { root } = openTree({ attrs });
  expect(root.text('fixed')).toBe('µm');
  expect(root.text('chars')).toBe('2.5 µm');
  expect([root.number('comma'), root.number('number'), root.number('fixed')]).toEqual([0.25, 3, undefined]);
  expect([root.text('empty'), root.text('missing')]).toEqual([undefined, undefined]);
});

it('never follows links to other files', () => {
  const file = openTree({ members: { out: { external: ['../secret.h5', '/x'] } } }, { kind: 'new' });
  expect(() => file.find('/out')).toThrow(/in another file, \.\.\/secret\.h5/);
});

it('refuses a truncated file and a checksum mismatch', () => {
  const bytes = writeHdf5({ members: { x: { data: Uint8Array.of(1, 2, 3) } } }, { kind: 'new' });
  expect(() => new Hdf5File(new MemorySource('x.h5', bytes.subarray(0, bytes.length - 8)))).toThrow(
    /the file is truncated/,
  );
  const at = Buffer.from(bytes).lastIndexOf('OHDR');
  bytes[at + 12] = (bytes[at + 12] as number) ^ 1;
  const open = () => new Hdf5File(new MemorySource('x.h5', bytes)).find('/x')?.dataset;
  expect(open).toThrow(/checksum/);
});

it.each([
  ['FAHD', 4],
  ['FADB', 14],
  ['EAHD', 5],
])('notices damage of an index of chunks: %s', async (signature, at) => {
  const data = Uint16Array.from({ length: 60 }, (_, i) => i);
  const most = signature === 'EAHD' ? [Number.POSITIVE_INFINITY, 5] : undefined;
  const x = { data, shape: [12, 5], chunks: [1, 5], ...(most ? { most } : {}) };
  const bytes = writeHdf5({ members: { x } }, { kind: 'new' });
  const place = Buffer.from(bytes).indexOf(signature) + at;
  bytes[place] = (bytes[place] as number) ^ 8;
  const file = new Hdf5File(new MemorySource('x.h5', bytes));
  await expect(planeOf(file, '/x', { row: 0, column: 1, at: [0, 0] })).rejects.toThrow(/checksum/);
});

it('computes the checksums of the format', () => {
  // Published results of lookup3.c for initial value 0, and Fletcher's sum of two words by hand.
  expect(lookup3(Buffer.from(''))).toBe(0xdeadbeef);
  expect(lookup3(Buffer.from('Four score and seven years ago'))).toBe(0x17770551);
  expect(fletcher32(Uint8Array.of(1, 2, 3, 4))).toBe((((0x102 + 0x406) << 16) | 0x406) >>> 0);
});

it('says what lies outside of a file, also for addresses that no file has', () => {
  const container = new Container(new MemorySource('a.h5', writeHdf5({})));
  const size = container.source.size;
  const outside = (what: string) => `${what} would lie outside of the file (${grouped(size)} bytes); it is corrupted`;
  expect(() => container.position(4096 * 4096, 1)).toThrow(outside('1 byte at 16,777,216'));
  expect(() => container.position(Infinity, 8)).toThrow(outside('some data'));
  expect(() => container.position(0, Infinity)).toThrow(outside('some data'));
});
