import { describe, expect, it } from 'vitest';
import { axisTicks, scaleBar, type TickRequest } from '../../../packages/viewer/src/image/ticks.ts';
import { scaleFor } from '../../../packages/viewer/src/model/units.ts';
import fc from '../../support/fast-check.js';

/** Six CSS pixels a digit and a gap of 16: what the cards use, about. */
const room = (label: string) => 6 * label.length + 16;
const ticks = (unit: string, from: number, to: number, pixels: number) => axisTicks({ unit, from, to, pixels, room });
const labels = (unit: string, from: number, to: number, pixels: number) =>
  ticks(unit, from, to, pixels).major.map(({ label }) => label);

describe('ticks', () => {
  it.each<[string, string, number, number, number, string, string[]]>([
    // 600 px for 35.1 s: `30` takes 28 px = 1.6 s, so 2 s would do for two digits (34.2 px); the edges decide.
    [
      'a whole scan of 30,000 lines',
      'seconds',
      0,
      35.1,
      600,
      's',
      ['0', '2', '4', '6', '8', '10', '12', '14', '16', '18', '20', '22', '24', '26', '28', '30', '32', '34'],
    ],
    // 10 of 200,000 lines of 1.17 ms near the end: 11.7 ms over 600 px; `233.99` needs 52 px = 1.01 ms, so 2 ms.
    [
      'ten lines of 200,000',
      'seconds',
      233.98,
      233.9917,
      600,
      's',
      ['233.980', '233.982', '233.984', '233.986', '233.988', '233.990'],
    ],
    // 1 ms is 25.6 px, less than the 28 of `11`.
    ['a short beginning', 'seconds', 0, 0.0117, 300, 'ms', ['0', '2', '4', '6', '8', '10']],
    ['microseconds', 'seconds', 0, 4e-6, 100, 'µs', ['0', '1', '2', '3', '4']],
    // 1 µm is 28.7 px.
    [
      'a line of 38 pixels of 0.284 µm',
      'micrometer',
      0,
      10.792,
      310,
      'µm',
      ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'],
    ],
    ['nanometers', 'micrometer', 0, 0.5, 200, 'nm', ['0', '100', '200', '300', '400', '500']],
    ['a slide', 'micrometer', 0, 25_000, 200, 'mm', ['0', '5', '10', '15', '20', '25']],
    ['no calibration', 'Pixels', -0.5, 9.5, 600, '', ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']],
    [
      'no calibration, close: whole numbers only',
      'Pixels',
      99_998.5,
      100_001.5,
      900,
      '',
      ['99,999', '100,000', '100,001'],
    ],
  ])('%s', (_name, unit, from, to, pixels, shown, expected) => {
    const found = ticks(unit, from, to, pixels);
    expect(found.scale.unit).toBe(shown);
    expect(found.major.map(({ label }) => label)).toEqual(expected);
  });

  it('have labels at their values', () => {
    const { major, scale } = ticks('seconds', 0, 0.0117, 300);
    for (const { value, label } of major) expect(value * scale.factor).toBeCloseTo(Number(label), 12);
  });

  it('divide the space between labels evenly', () => {
    // Labels every 2 s, 34 px apart: four parts of 8.5 px; tenths would be 3.4 px.
    expect(ticks('seconds', 0, 5, 85).major.map(({ label }) => label)).toEqual(['0', '2', '4']);
    expect(ticks('seconds', 0, 5, 85).minor).toEqual([0.5, 1, 1.5, 2.5, 3, 3.5, 4.5, 5]);
    expect(ticks('Pixels', -0.5, 2.5, 600).minor).toEqual([]);
  });

  it('have unique labels that never overlap, for any range', () => {
    const request: fc.Arbitrary<TickRequest> = fc
      .record({
        unit: fc.constantFrom('seconds', 'micrometer', 'Pixels'),
        start: fc.double({ min: 0, max: 1e5, noNaN: true }),
        power: fc.double({ min: -6, max: 5, noNaN: true }),
        pixels: fc.integer({ min: 30, max: 4000 }),
      })
      .map(({ unit, start, power, pixels }) => ({ unit, from: start, to: start + 10 ** power, pixels, room }));
    fc.assert(
      fc.property(request, (one) => {
        const { major, scale } = axisTicks(one);
        // Ticks at the ends may be outside by rounding.
        const rounding = 1.001e-8 * Math.abs(one.to);
        expect(new Set(major.map(({ label }) => label)).size).toBe(major.length);
        for (const [i, tick] of major.entries()) {
          expect(tick.value).toBeGreaterThanOrEqual(one.from - rounding);
          expect(tick.value).toBeLessThanOrEqual(one.to + rounding);
          expect(Math.abs(Number(tick.label.replaceAll(',', '')) - tick.value * scale.factor)).toBeLessThan(
            1e-9 * (1 + tick.value * scale.factor),
          );
          const before = major[i - 1];
          if (before === undefined) continue;
          const distance = ((tick.value - before.value) / (one.to - one.from)) * one.pixels;
          expect(distance * (1 + 1e-6)).toBeGreaterThanOrEqual(Math.max(room(tick.label), room(before.label)));
        }
      }),
    );
  });

  it('label a long axis in a card of any width', () => {
    expect(labels('seconds', 0, 234, 60)).toEqual(['0', '200']);
    expect(labels('seconds', 0, 234, 10)).toEqual(['0']);
  });
});

it.each([
  ['seconds', 1, 's'],
  ['seconds', 0.999, 'ms'],
  ['seconds', 0.0005, 'µs'],
  ['micrometer', 10_000, 'mm'],
  ['micrometer', 9999, 'µm'],
  ['micrometer', 0.5, 'nm'],
  ['Pixels', 12, ''],
])('%s up to %d are told in %s', (unit, largest, shown) => expect(scaleFor(unit, largest).unit).toBe(shown));

it.each([
  // 35.1 s over 600 px, at most 120 px = 7.02 s: 5 s of 85.47 px.
  ['seconds', 35.1 / 600, 120, '5 s', 85.47008547],
  // 0.0117 s over 600 px: 120 px = 2.34 ms: 2 ms.
  ['seconds', 0.0117 / 600, 120, '2 ms', 102.5641026],
  ['micrometer', 0.284, 100, '20 µm', 70.42253521],
  ['micrometer', 12, 100, '1 mm', 83.33333333],
  ['micrometer', 0.001, 100, '100 nm', 100],
  ['Pixels', 0.5, 120, '50 px', 100],
])('scale bar of %s at %d per pixel', (unit, perPixel, longest, label, length) => {
  const bar = scaleBar(unit, perPixel, longest, 'px');
  expect(bar?.label).toBe(label);
  expect(bar?.length).toBeCloseTo(length, 6);
  expect(bar!.value / perPixel).toBeCloseTo(length, 6);
});

it('draws no scale bar shorter than a sample without calibration', () => {
  expect(scaleBar('Pixels', 0.005, 120, 'px')).toBeNull();
});
