import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fieldText,
  formatBytes,
  formatClock,
  formatEnds,
  formatFixed,
  formatNumber,
  formatPercent,
  formatQuantity,
  formatRange,
  formatSample,
  parseNumber,
} from '../../../packages/viewer/src/model/number-text.ts';
import fc from '../../support/fast-check.js';

describe('a number', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [4095, '4,095'],
    [123_456_789, '123,456,789'],
    [1234.567, '1,235'],
    [12_345.678, '12,346'],
    [12.345_678, '12.35'],
    [2.5, '2.5'],
    [-0.012346, '−0.01235'],
    [0.1 + 0.2, '0.3'],
    [99.999_99, '100'],
    [0.000_012_34, '1.234e-5'],
    [-5e12, '−5e12'],
    [Number.NaN, '–'],
    [Number.NEGATIVE_INFINITY, '−∞'],
  ])('%d is %s', (value, text) => expect(formatNumber(value)).toBe(text));

  it('never loses a digit before the point, and is within its digits of the value', () => {
    const size = fc.double({ min: 1e-4, max: 9e8, noNaN: true });
    fc.assert(
      fc.property(size, fc.integer({ min: 2, max: 8 }), (value, digits) => {
        const shown = parseNumber(formatNumber(value, digits))!;
        expect(Math.abs(shown - value)).toBeLessThanOrEqual(Math.min(0.5, 0.501 * 10 ** (1 - digits) * 10 * value));
      }),
    );
  });
});

describe('a sample', () => {
  it.each([
    [4095, '4,095'],
    [-3, '−3'],
    [16_777_216, '16,777,216'],
    [Math.fround(0.1), '0.1'],
    [Math.fround(-1.17), '−1.17'],
    // The float32 after 1 is 1 + 2⁻²³ = 1.00000011920929.
    [1 + 2 ** -23, '1.0000001'],
    [Math.fround(1e-30), '1e-30'],
    [Math.fround(3e30), '3e30'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '∞'],
    [Number.NEGATIVE_INFINITY, '−∞'],
  ])('%d is %s', (value, text) => expect(formatSample(value)).toBe(text));

  it('has every digit of a float32', () => {
    const bits = new Uint32Array([0x3f80_0001, 0x0000_0001, 0x7f7f_ffff, 0x4049_0fdb, 0x3dcc_cccd]);
    for (const value of new Float32Array(bits.buffer)) expect(Math.fround(Number(formatSample(value)))).toBe(value);
  });
});

it('a range tells its ends apart and has no rounding errors', () => {
  expect(formatRange(2.017_94e-15, 10.792)).toEqual(['0', '10.792']);
  expect(formatRange(-4e-16, 1e-3)).toEqual(['0', '0.001']);
  expect(formatRange(1234.500_01, 1234.500_02)).toEqual(['1,234.50001', '1,234.50002']);
  expect(formatRange(-0.5, 31.5)).toEqual(['−0.5', '31.5']);
  expect(formatRange(0, 30_000)).toEqual(['0', '30,000']);
  expect(formatRange(5, 5)).toEqual(['5', '5']);
});

it('fixed decimals have no negative zero', () => {
  expect([formatFixed(-0.0004, 2), formatFixed(1234.5, 3), formatFixed(-7, 0), formatFixed(7, -3)]).toEqual([
    '0.00',
    '1,234.500',
    '−7',
    '7',
  ]);
});

it('quantities have a suitable unit', () => {
  expect(formatQuantity(0.00117, 'seconds')).toBe('1.17 ms');
  expect(formatQuantity(12_345, 'micrometer', 3)).toBe('12.3 mm');
  expect(formatQuantity(12, 'Pixels')).toBe('12');
});

it('sizes are decimal, durations are minutes and seconds', () => {
  expect([999, 1000, 3_072_000, 410e6, 2.5e12].map(formatBytes)).toEqual([
    '999 B',
    '1 kB',
    '3.07 MB',
    '410 MB',
    '2.5 TB',
  ]);
  expect([598_999, 0, -5].map(formatClock)).toEqual(['9:58', '0:00', '0:00']);
});

it('percentages are never 0 % for a part that is not empty', () => {
  const parts = [
    [0, 10],
    [35, 10_000],
    [1, 1e6],
    [1, 3],
    [3, 3],
  ] as const;
  expect(parts.map(([part, all]) => formatPercent(part, all))).toEqual([
    '0 %',
    '0.35 %',
    '< 0.01 %',
    '33.3 %',
    '100 %',
  ]);
});

describe('numbers in fields', () => {
  it('are parsed in common notations', () => {
    const texts = [
      '12',
      ' 1 000 ',
      '1e3',
      '0,5',
      '-.5',
      '\u22123',
      '1\u202f234.5',
      '2.',
      '30,000',
      '1,234,567.5',
      '12,34',
    ];
    expect(texts.map(parseNumber)).toEqual([12, 1000, 1000, 0.5, -0.5, -3, 1234.5, 2, 30_000, 1_234_567.5, 12.34]);
    for (const text of ['', 'a', '1.2.3', '1,2,3', '1e99', 'NaN', '0x10', '--1']) expect(parseNumber(text)).toBeNull();
  });

  it('are parsed back from any text of the page', () => {
    const value = fc.integer({ min: -999_999_999, max: 999_999_999 });
    fc.assert(fc.property(value, (whole) => parseNumber(formatNumber(whole)) === whole));
  });

  it('are short and parse to the same value', () => {
    expect([0.1, 4095, 1 / 3, 1e-9].map(fieldText)).toEqual(['0.1', '4095', '0.3333333', '1e-9']);
  });
});

it('no other module of the viewer writes numbers on screen in its own way', () => {
  const root = resolve(import.meta.dirname, '../../../packages/viewer/src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const own = files
    .filter((name) => !name.endsWith('number-text.ts'))
    .flatMap((name) =>
      readFileSync(resolve(root, name), 'utf8')
        .split('\n')
        // A number that is rounded to be a number again is not text.
        .filter(
          (line) =>
            /toFixed|toPrecision|toExponential|toLocaleString/.test(line) &&
            !/Number\(.*to(Fixed|Precision)/.test(line),
        )
        .map((line) => `${name}: ${line.trim()}`),
    );
  expect(own).toEqual([]);
  expect(files.length).toBeGreaterThan(100);
});

describe('the ends of the range of a channel', () => {
  it('are 0 where only a rounding error is left, and short where they are very small or large', () => {
    expect(formatEnds(9.7617e-15, 0.85)).toEqual(['0', '0.85']);
    expect(formatEnds(-3e-9, 4095)).toEqual(['0', '4,095']);
    expect(formatEnds(9.7617e-15, 1.97421e-14)).toEqual(['9.76e-15', '1.97e-14']);
    expect(formatEnds(0.12345, 1)).toEqual(['0.1235', '1']);
    expect(formatEnds(0.012345, 0.02)).toEqual(['0.012345', '0.02']);
    expect(formatEnds(112.25, 233)).toEqual(['112.3', '233']);
    expect(formatEnds(59.936, 2103.7)).toEqual(['60', '2,104']);
    expect(formatEnds(-12.5, 70_000.4)).toEqual(['−13', '70,000']);
  });
});
