import { describe, expect, it } from 'vitest';
import { LUTS } from '../../../viewer/src/luts/luts.ts';
import { firstLuts, nearestLut } from '../../../viewer/src/model/first-luts.ts';

describe('the initial table of a channel', () => {
  it.each([
    ['#FF0000', 'red'],
    ['#FE0100', 'red'],
    ['#FFBF00', 'yellow'],
    ['#78E90F', 'green'],
    ['#00FF5B', 'green'],
    ['#00A1FF', 'cyan'],
    ['#0033FF', 'blue'],
    ['#FF00FF', 'magenta'],
    ['#FF0040', 'red'],
    ['#FFFFFF', 'grey'],
    ['#807F80', 'grey'],
  ])('is the one nearest to the color of the file: %s is %s', (color, lut) => {
    expect(nearestLut(color)).toBe(lut);
    expect(firstLuts([{ color }])).toEqual([lut]);
    expect(LUTS.map(({ id }) => id)).toContain(lut);
  });

  it.each([
    ['samples of a color image', [{ color: '#FF0000' }, { color: '#00FF00' }, { color: '#0000FF' }], 'red green blue'],
    ['channels without a color', [{}, {}, {}], 'green magenta cyan'],
    ['one channel without a color', [{}], 'grey'],
    ['transmitted light', [{}, { role: 'transmitted' as const }, {}], 'green grey magenta'],
    ['transmitted light with a color', [{ color: '#FF00FF', role: 'transmitted' as const }], 'magenta'],
    ['some with a color', [{}, { color: '#00FF00' }, {}], 'magenta green cyan'],
    [
      'more channels than colors',
      Array.from({ length: 8 }, () => ({})),
      'green magenta cyan yellow red blue grey grey',
    ],
  ])('of %s', (_, channels, luts) => {
    expect(firstLuts(channels).join(' ')).toBe(luts);
  });
});
