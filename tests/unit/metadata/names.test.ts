import { describe, expect, it } from 'vitest';
import { channelsNamed, channelsNumbered, cleanName, uniqueNames } from '../../../src/metadata/names.js';

describe('channel names', () => {
  it('numbers what has no name', () => {
    expect(channelsNumbered(2)).toEqual([{ name: 'CH1' }, { name: 'CH2' }]);
    expect(channelsNamed(['DAPI', undefined, '  '])).toEqual([{ name: 'DAPI' }, { name: 'CH2' }, { name: 'CH3' }]);
  });

  it('makes names unique without touching the first of them', () => {
    expect(uniqueNames(['a', 'a', 'a (2)', 'a'])).toEqual(['a', 'a (3)', 'a (2)', 'a (4)']);
    expect(channelsNamed(['CH2', undefined])).toEqual([{ name: 'CH2' }, { name: 'CH2 (2)' }]);
  });

  it('is linear in the number of equal names', () => {
    const names = uniqueNames(Array.from({ length: 65_536 }, () => 'x'));
    expect(new Set(names).size).toBe(65_536);
    expect(names.at(-1)).toBe('x (65536)');
  });

  it('cleans', () => {
    expect(cleanName(' Alexa\u0000\n488 ')).toBe('Alexa 488');
    expect(cleanName('y'.repeat(1000))).toHaveLength(200);
    expect(cleanName('a\ud800b')).toBe('a\ufffdb');
    expect(cleanName(undefined)).toBe('');
  });
});
