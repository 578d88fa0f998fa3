import { describe, expect, it } from 'vitest';
import { ByteCache } from '../../../packages/readers/src/model/samples/byte-cache.js';

const bytes = (length: number) => new Uint8Array(length);

function cacheOf(capacity: number, options = {}): ByteCache<string, Uint8Array> {
  return new ByteCache(capacity, ({ length }) => length, options);
}

describe('byte cache', () => {
  it('drops the least recently used value first', () => {
    const cache = cacheOf(30);
    for (const key of ['a', 'b', 'c']) cache.put(key, bytes(10));
    cache.get('a');
    cache.put('d', bytes(10));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
  });

  it('drops as many values as a large one needs', () => {
    const cache = cacheOf(30);
    for (const key of ['a', 'b', 'c']) cache.put(key, bytes(10));
    cache.put('d', bytes(25));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined)).toEqual(['d']);
  });

  it('does not keep a value larger than its budget, and keeps the others', () => {
    const cache = cacheOf(30);
    cache.put('a', bytes(10));
    cache.put('b', bytes(31));
    expect(cache.get('a')).toBeDefined();
    expect(cache.get('b')).toBeUndefined();
  });

  it('keeps the newest value whatever its size when told so', () => {
    const cache = cacheOf(30, { keepNewest: true });
    cache.put('a', bytes(10));
    cache.put('b', bytes(100));
    expect(cache.get('a')).toBeUndefined();
    expect(cache.get('b')).toHaveLength(100);
    cache.put('c', bytes(10));
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('c')).toHaveLength(10);
  });

  it('keeps the first value that is put under a key', () => {
    const cache = cacheOf(30);
    const first = bytes(10);
    cache.put('a', first);
    cache.put('a', bytes(5));
    expect(cache.get('a')).toBe(first);
  });
});
