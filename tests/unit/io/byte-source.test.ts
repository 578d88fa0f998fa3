import { describe, expect, it } from 'vitest';
import { grouped } from '../../../packages/readers/src/base/wording.js';
import { checkRange, MemorySource } from '../../../packages/readers/src/io/byte-source.js';

const refused = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('nothing was refused');
};

describe('a range of bytes', () => {
  it.each([
    [0, 0],
    [0, 10],
    [9, 1],
    [10, 0],
  ])('is inside 10 bytes from %i with a length of %i', (offset, length) => {
    expect(() => checkRange('a.tif', 10, offset, length)).not.toThrow();
  });

  it.each([
    [0, 11],
    [9, 2],
    [10, 1],
    [11, 0],
  ])('ends behind 10 bytes from %i with a length of %i', (offset, length) => {
    const { code, message } = refused(() => checkRange('a.tif', 10, offset, length));
    expect(code).toBe('decode_failed');
    expect(message).toContain(`a.tif: bytes ${offset}–${offset + length} are missing: the file ends at 10.`);
  });

  it.each([
    [-1, 2],
    [2, -1],
    [0.5, 1],
    [1, 0.5],
    [2 ** 53, 0],
    [0, 2 ** 53],
    [Number.NaN, 1],
    [0, Number.NaN],
    [0, Number.POSITIVE_INFINITY],
  ])('is invalid from %d with a length of %d, whatever the size', (offset, length) => {
    const { code, message } = refused(() => checkRange('a.tif', Number.MAX_SAFE_INTEGER, offset, length));
    expect(code).toBe('decode_failed');
    expect(message).toContain(`invalid read: ${grouped(length)} bytes at offset ${grouped(offset)}.`);
  });
});

describe('bytes in memory', () => {
  const source = () => new MemorySource('a.tif', Uint8Array.of(10, 11, 12, 13));

  it('are read from an offset, to their last byte', () => {
    expect(source()).toMatchObject({ name: 'a.tif', size: 4 });
    expect([...source().read(1, 2)]).toEqual([11, 12]);
    expect([...source().read(3, 1)]).toEqual([13]);
    expect([...source().read(4, 0)]).toEqual([]);
    expect(refused(() => source().read(3, 2)).code).toBe('decode_failed');
  });

  it('are copied, so that a caller may change what it reads', () => {
    const same = source();
    same.read(0, 4).fill(0);
    expect([...same.read(0, 4)]).toEqual([10, 11, 12, 13]);
  });

  it('fill the memory of a caller, and nothing when they end before it', () => {
    const target = new Uint8Array(3).fill(99);
    source().readInto(target.subarray(0, 2), 2);
    expect([...target]).toEqual([12, 13, 99]);
    expect(refused(() => source().readInto(target, 2)).code).toBe('decode_failed');
    expect([...target]).toEqual([12, 13, 99]);
  });
});
