import { describe, expect, it } from 'vitest';
import { isLut } from '../../../packages/viewer/src/luts/luts.ts';
import { colorRange, findColorChannels } from '../../../packages/viewer/src/model/color-image.ts';
import { createPane, type Pane } from '../../../packages/viewer/src/model/document.ts';
import { firstLuts, nearestLut } from '../../../packages/viewer/src/model/first-luts.ts';

describe('the initial table of a channel', () => {
  it.each([
    ['#FF0000', 'red'],
    ['#0000FF', 'blue'],
    ['#FFFFFF', 'grey'],
    ['#0033FF', '#0033FF'],
    ['#FFBF00', '#FFBF00'],
    ['#807F80', '#807F80'],
    ['#000000', 'grey'],
  ])('is the exact color of the file: %s is %s', (color, lut) => {
    expect(firstLuts([{ color }])).toEqual([lut]);
    expect(isLut(lut)).toBe(true);
  });

  it.each([
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
  ])('takes %s for %s when it chooses a color for the others', (color, lut) => {
    expect(nearestLut(color)).toBe(lut);
    const others = firstLuts([{ color }, {}, {}, {}, {}, {}, {}]).slice(1);
    expect(others).not.toContain(lut === 'grey' ? '' : lut);
  });

  it.each([
    ['samples of a color image', [{ color: '#FF0000' }, { color: '#00FF00' }, { color: '#0000FF' }], 'red green blue'],
    ['channels without a color', [{}, {}, {}], 'green magenta cyan'],
    ['one channel without a color', [{}], 'grey'],
    ['transmitted light', [{}, { role: 'transmitted' as const }, {}], 'green grey magenta'],
    ['transmitted light with a color', [{ color: '#FF00FF', role: 'transmitted' as const }], 'magenta'],
    ['some with a color', [{}, { color: '#07FF00' }, {}], 'magenta #07FF00 cyan'],
    [
      'more channels than colors',
      Array.from({ length: 8 }, () => ({})),
      'green magenta cyan yellow red blue grey grey',
    ],
  ])('of %s', (_, channels, luts) => {
    expect(firstLuts(channels).join(' ')).toBe(luts);
  });
});

const colorsOf = (...names: string[]) =>
  names.map((name, index) => ({
    index,
    name,
    ...(index < 3 ? { color: ['#FF0000', '#00FF00', '#0000FF'][index]! } : {}),
  }));

describe('a color image', () => {
  it.each([
    ['R, G, B', ['R', 'G', 'B']],
    ['Red, Green, Blue', ['Red', 'Green', 'Blue']],
    ['a common prefix', ['Camera R', 'Camera G', 'Camera B']],
    ['an opacity beside the colors', ['R', 'G', 'B', 'A']],
  ])('is recognized by %s', (_, names) => {
    expect(findColorChannels(colorsOf(...names))).toEqual([0, 1, 2]);
  });

  it.each([
    ['fluorescence in pure colors', colorsOf('TRITC', 'FITC', 'DAPI')],
    ['names without colors', ['R', 'G', 'B'].map((name, index) => ({ index, name }))],
    ['two channels', colorsOf('R', 'G')],
    ['different prefixes', colorsOf('1 R', '2 G', '3 B')],
    ['no channels', []],
  ])('is not %s', (_, channels) => {
    expect(findColorChannels(channels)).toBeNull();
  });

  it.each([
    ['bytes, also dark ones', [12, 40, 31], true, [0, 255]],
    ['12-bit counts', [300, 3900, 20], true, [0, 4095]],
    ['16-bit counts', [300, 60_000, 20], true, [0, 65_535]],
    ['two bits', [3, 2, 1], true, [0, 3]],
    ['fractions', [0.2, 0.9, 1], false, [0, 1]],
    ['other fractions', [2.5, 9.5, 7], false, [0, 9.5]],
    ['nothing finite', [Number.NaN, Number.NaN, Number.NaN], false, [0, 1]],
  ])('shows %s in one range', (_, highest, integer, [min, max]) => {
    const channels = highest.map((top) => ({ min: Number.isNaN(top) ? top : 0, max: top, integer }));
    expect(colorRange(channels)).toEqual({ min, max });
  });

  it('shows samples of 13 bits in a file of 16 in the range of 13 bits', () => {
    const channels = [0, 5000, 8000].map((max) => ({ min: 0, max, integer: true }));
    expect(colorRange(channels)).toEqual({ min: 0, max: 8191 });
  });

  it('keeps negative values in its range', () => {
    expect(colorRange([{ min: -5, max: 10, integer: true }])).toEqual({ min: -5, max: 10 });
  });

  it('starts as a composite of three channels, without its opacity', () => {
    const channels = colorsOf('R', 'G', 'B', 'A').map((channel) => ({ ...channel, byteLength: 4, dataUrl: '' }));
    const axis = (name: string, arrayDimension: 0 | 1) =>
      ({ arrayDimension, name, size: 1, step: 1, unit: 'Pixels' }) as const;
    const plane = { shape: [1, 1], axes: [axis('Y', 0), axis('X', 1)] } as unknown as Pane['plane'];
    const pane = createPane('source', { plane, channels });
    expect([pane.colorImage, pane.composite.value]).toEqual([true, true]);
    expect(pane.channels.map(({ display }) => `${display.value.lut} ${display.value.visible}`)).toEqual([
      'red true',
      'green true',
      'blue true',
      'grey false',
    ]);
  });
});
