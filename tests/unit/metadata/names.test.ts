import { describe, expect, it } from 'vitest';
import {
  channelsNamed,
  channelsNumbered,
  cleanName,
  uniqueNames,
} from '../../../packages/readers/src/model/metadata/names.js';

describe('channel names', () => {
  it('numbers what has no name', () => {
    expect(channelsNumbered(2)).toEqual([{ name: 'CH1' }, { name: 'CH2' }]);
    expect(channelsNamed(['DAPI', undefined, '  '])).toEqual([{ name: 'DAPI' }, { name: 'CH2' }, { name: 'CH3' }]);
  });

  it('makes names unique without touching the first of them', () => {
    expect(uniqueNames(['a', 'a', 'a (2)', 'a'])).toEqual(['a', 'a (3)', 'a (2)', 'a (4)']);
  });

  it('never gives a number whose name another channel has', () => {
    const names = (own: (string | undefined)[]) => channelsNamed(own).map(({ name }) => name);
    expect(names(['CH2', undefined])).toEqual(['CH2', 'CH3']);
    expect(names([undefined, 'CH1', undefined])).toEqual(['CH2', 'CH1', 'CH3']);
    expect(names([undefined, undefined, 'CH2', 'CH3', undefined])).toEqual(['CH1', 'CH4', 'CH2', 'CH3', 'CH5']);
    // Without a search from the start for each of them.
    const many = [
      ...Array.from({ length: 32_768 }, () => undefined),
      ...Array.from({ length: 32_768 }, (_, i) => `CH${i + 1}`),
    ];
    expect(new Set(names(many)).size).toBe(65_536);
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
