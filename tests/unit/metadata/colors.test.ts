import { describe, expect, it } from 'vitest';
import {
  argbColor,
  bgrColor,
  channelsShown,
  fractionColor,
  hexColor,
  namedColor,
  rampColor,
  rgbColor,
  runEnds,
} from '../../../packages/readers/src/model/metadata/colors.js';

describe('a color', () => {
  it.each([
    ['of parts', rgbColor(1, 171, 255), '#01ABFF'],
    ['of parts outside a byte', rgbColor(0, 256, 0), undefined],
    ['of parts that are not whole', rgbColor(0.5, 0, 0), undefined],
    ['that is black', rgbColor(0, 0, 0), undefined],
    ['of fractions', fractionColor(1, 0.5, 0), '#FF8000'],
    ['of fractions above 1', fractionColor(1.1, 0, 0), undefined],
    ['of fractions that are not numbers', fractionColor(Number.NaN, 0, 0), undefined],
    ['as 0x00BBGGRR', bgrColor(0x0fe978), '#78E90F'],
    ['as 0xFFBBGGRR', bgrColor(0xff0000ff), '#FF0000'],
    ['as 0x00BBGGRR with something else on top', bgrColor(0x12_00_00_ff), undefined],
    ['as 0xAARRGGBB', argbColor(-65536), '#FF0000'],
    ['as #AARRGGBB', hexColor('#FF00a1FF'), '#00A1FF'],
    ['as #RRGGBB', hexColor('#00ff5b'), '#00FF5B'],
    ['as RRGGBB', hexColor('00FF00'), '#00FF00'],
    ['that is transparent', hexColor('#00FF0000'), undefined],
    ['of five digits', hexColor('#12345'), undefined],
    ['of other letters', hexColor('#GG0000'), undefined],
    ['without a value', hexColor(undefined), undefined],
    ['by name', namedColor('Magenta'), '#FF00FF'],
    ['by the name of another table', namedColor('Look-up table'), undefined],
    ['by the name of a property of objects', namedColor('constructor'), undefined],
  ])('%s', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});

describe('a look-up table', () => {
  const part = (i: number, full: number) => Math.round((i * full) / 255);

  it.each<[string, (i: number) => [number, number, number], string | undefined]>([
    ['from black to orange', (i) => [i, part(i, 128), 0], '#FF8000'],
    ['whose parts are cut off', (i) => [Math.floor(i * 0.99), 0, 0], '#FC0000'],
    ['of grays', (i) => [i, i, i], '#FFFFFF'],
    ['that is inverted', (i) => [255 - i, 0, 0], undefined],
    ['that begins with a color', (i) => [Math.max(i, 9), 0, 0], undefined],
    ['of several colors', (i) => (i < 128 ? [0, 0, 2 * i] : [i, 0, 255 - i]), undefined],
    ['with a curve', (i) => [Math.round((i * i) / 255), 0, 0], undefined],
    ['that marks saturated values', (i) => (i === 255 ? [255, 0, 0] : [i, i, i]), undefined],
    ['of black', () => [0, 0, 0], undefined],
    ['with a hole', (i) => [i === 7 ? Number.NaN : i, 0, 0], undefined],
  ])('%s', (_, entry, expected) => {
    expect(rampColor(256, (i, component) => entry(i)[component]!)).toBe(expected);
  });

  it('of 65,536 entries that rise every 256th', () => {
    expect(rampColor(65_536, (i, component) => (component === 1 ? i >> 8 : 0))).toBe('#00FF00');
  });

  it.each<[string, (i: number) => number]>([
    ['that rises every 256th', (i) => i >> 8],
    ['with one entry off the line', (i) => (i === 40_000 ? 9 : i >> 8)],
    ['with a run too long', (i) => (i < 1_000 ? 0 : i >> 8)],
    ['that ends early', (i) => Math.min(250, i >> 8)],
    ['of one value', () => 7],
  ])('%s is judged by the ends of its runs', (_, entry) => {
    const entries = Uint32Array.from({ length: 65_536 }, (_, i) => entry(i));
    const part = (i: number) => entries[i]!;
    const ends = runEnds(entries);
    expect(ends.length).toBeLessThan(1_100);
    expect(rampColor(65_536, part, ends)).toBe(rampColor(65_536, part));
  });

  it('has runs of equal entries', () => {
    expect(runEnds(Uint32Array.of(5, 5, 5, 6, 7, 7))).toEqual([0, 2, 3, 3, 4, 5]);
    expect(runEnds(Uint32Array.of(0))).toEqual([0, 0]);
    expect(runEnds(new Uint32Array())).toEqual([]);
  });

  it('of one entry is not a ramp', () => {
    expect(rampColor(1, () => 255)).toBeUndefined();
  });
});

it('channels keep what is said of them, without ranges that are not any', () => {
  const window = { start: 5, end: 5 };
  const channels = [{ name: 'a', color: '#FF0000' }, { name: 'b' }, { name: 'c' }];
  const displays = [{ window }, { window: { start: 0, end: Number.NaN }, role: 'transmitted' as const }];
  expect(channelsShown(channels, displays)).toEqual([
    { name: 'a', color: '#FF0000' },
    { name: 'b', role: 'transmitted' },
    { name: 'c' },
  ]);
});
